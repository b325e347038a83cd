"""What users type, and what they are to see: stories told as data.

A line is what stands behind `openstack`; $names stand for what the test or
an earlier step found. The test of test_client_commands tells the stories and
sees to it that no command and no option is without a place in them.
"""
from collections.abc import Callable
import dataclasses
import string

#: Columns of a stack as `stack show` and `stack create` give it.
STACK = ('id', 'stack_name', 'description', 'creation_time', 'updated_time',
         'stack_status', 'stack_status_reason')
ACTED = ('ID', 'Stack Name', 'Stack Status', 'Creation Time', 'Updated Time')
RESOURCE_COLUMNS = ('resource_name', 'physical_resource_id', 'resource_type',
                    'resource_status', 'updated_time')


@dataclasses.dataclass(frozen=True)
class Step:
    """A command and what comes of it.

    :param forms: the formats it is run in, one time each.
    :param columns: the keys or columns of what is listed or shown, in JSON
        all of them.
    :param has: texts that are printed, whatever the format.
    :param rows: how many things are listed.
    :param code: the exit code; errors have no format.
    :param check: must be true of the JSON.
    :param save: {name: function of the JSON} for the steps that follow.
    :param wait_for: text for which the command is run again and again.
    :param wait_gone: the same, of a text that goes.
    """

    line: str
    forms: tuple = ('json', 'table')
    columns: tuple = ()
    has: tuple = ()
    rows: int | None = None
    code: int = 0
    check: Callable | None = None
    save: dict = dataclasses.field(default_factory=dict)
    wait_for: str | None = None
    wait_gone: str | None = None

    def filled(self, names):
        """Return the line with values for its names."""
        return string.Template(self.line).substitute(names)


def once(line, **more):
    """Return a step that changes something, run one time only."""
    more.setdefault('forms', ('json',))
    return Step(line, **more)


def plain(line, *has, **more):
    """Return a step whose command knows no formats."""
    return Step(line, forms=(None,), has=has, **more)


def wrong(line, *has, code=1):
    """Return a step that fails and says why."""
    return Step(line, forms=(None,), has=has, code=code)


def until(line, text):
    """Return a step that waits until a text is printed."""
    return Step(line, forms=('json',), wait_for=text)


def until_gone(line, text):
    """Return a step that waits until a text is printed no more."""
    return Step(line, forms=('json',), wait_gone=text)


def _cell(name, value):
    """Return a check of one value that is shown."""
    return lambda shown: shown[name] == value


def _column(name, *values):
    """Return a check of the values of one column."""
    return lambda rows: [row[name] for row in rows] == list(values)


# What is deleted while the client waits has its ID here: a client that hears
# of no event for a while asks for the stack, which of that name may just be
# gone.

LIFE = (
    once('stack create s -t $world --wait --poll 1 --timeout 7 --tags t1,t2 '
         '--parameter word=hi --parameter secret=hush '
         '--parameter-file text=$text -e $env --enable-rollback',
         columns=STACK, save={'id': lambda shown: shown['id']},
         check=_cell('stack_status', 'CREATE_COMPLETE')),
    wrong('stack create s -t $world', 'already exists', 's'),
    wrong('stack create 1s -t $world', '1s'),
    wrong('stack create x -t $dir/none.yaml', 'none.yaml'),
    wrong('stack create x -t $bad', 'resources.a', 'No::Such'),
    wrong('stack create x -t $world --parameter unknown=1', 'unknown'),
    wrong('stack create x -t $world --parameter word', 'word'),
    wrong('stack create x -t $world --timeout soon', '--timeout', code=2),
    wrong('stack create x -t $world --files-container c', 'container'),
    wrong('stack create x', '--template', code=2),
    Step('stack create x -t $world --dry-run', columns=(
        'capabilities', 'creation_time', 'deletion_time', 'description',
        'disable_rollback', 'id', 'links', 'notification_topics', 'outputs',
        'parameters', 'parent', 'resources', 'stack_name', 'stack_owner',
        'stack_user_project_id', 'tags', 'template_description',
        'timeout_mins', 'updated_time'),
         has=('Test::Thing', 'x')),
    Step('stack show s', has=('CREATE_COMPLETE', 't1', 'hi', 'A world.'),
         check=lambda shown: (
             shown['timeout_mins'] == 7 and not shown['disable_rollback']
             and shown['tags'] == ['t1', 't2']
             and shown['parameters']['secret'] == '******'
             and shown['parameters']['text'] == 'from a file\n'
             and shown['outputs'][0]['output_value'] == 'hi')),
    Step('stack show --no-resolve-outputs $id',
         check=lambda shown: 'outputs' not in shown),
    wrong('stack show none', 'Stack not found: none'),
    # -- lists
    Step('stack list', columns=(
        'ID', 'Stack Name', 'Project', 'Stack Status', 'Creation Time',
        'Updated Time'), rows=1, has=('$id', 'CREATE_COMPLETE', '$project')),
    Step('stack list --short', rows=1, columns=(
        'ID', 'Stack Name', 'Project', 'Stack Status')),
    Step('stack list --long', has=('$id',), columns=(
        'ID', 'Stack Name', 'Project', 'Stack Owner', 'Stack Status',
        'Creation Time', 'Updated Time')),
    Step('stack list --nested', rows=5, has=('s-group-',), columns=(
        'ID', 'Stack Name', 'Project', 'Stack Status', 'Creation Time',
        'Updated Time', 'Parent')),
    Step('stack list --hidden', rows=1),
    Step('stack list --deleted', rows=1),
    Step('stack list --property stack_name=s --property '
         'status=COMPLETE --sort stack_name:desc', rows=1),
    Step('stack list --property stack_name=other', rows=0),
    Step('stack list --tags t1,t2', rows=1),
    Step('stack list --tags t1,t3', rows=0),
    Step('stack list --tags t1,t3 --tag-mode any', rows=1),
    Step('stack list --tags t1,t2 --tag-mode not', rows=0),
    Step('stack list --tags t3 --tag-mode not-any', rows=1),
    Step('stack list --limit 1', rows=1),
    Step('stack list --marker $id', rows=0),
    Step('stack list --all-projects --sort stack_name', has=('$id',)),
    wrong('stack list --limit some', 'some', code=2),
    wrong('stack list --sort name:sideways', 'sideways'),
    wrong('stack list --tags a --tag-mode most', 'tag mode'),
    # -- what belongs to a stack
    Step('stack template show s', has=('A world.', 'Test::Thing'),
         check=lambda shown: 'group' in shown['resources']),
    wrong('stack template show none', 'none'),
    Step('stack environment show s', has=('hi',), check=lambda shown: (
        shown['parameters']['secret'] == '******'
        and 'Test::Alias' in str(shown['resource_registry']))),
    wrong('stack environment show none', 'none'),
    Step('stack file list s', columns=('files',), has=('inner.yaml',)),
    wrong('stack file list none', 'none'),
    Step('stack output list s', columns=('output_key', 'description'),
         rows=2, has=('said', 'What was said.')),
    wrong('stack output list none', 'none'),
    Step('stack output show s said', has=('hi',), columns=(
        'output_key', 'output_value', 'description')),
    Step('stack output show s --all', has=('said', 'group', 'hi')),
    wrong('stack output show s none', 'none'),
    wrong('stack output show none said', 'none'),
    wrong('stack output show s', '--all must'),
    # -- resources
    Step('stack resource list s', rows=3, columns=RESOURCE_COLUMNS,
         has=('group', 'alias', 'CREATE_COMPLETE')),
    Step('stack resource list s --nested-depth 2', rows=8,
         columns=(*RESOURCE_COLUMNS, 'stack_name')),
    Step('stack resource list s --filter type=Test::Thing', rows=1),
    Step('stack resource list s --filter name=a --filter '
         'status=COMPLETE', rows=1),
    Step('stack resource list s --long', rows=3, columns=(
        *RESOURCE_COLUMNS, 'stack_name')),
    Step('stack resource list s', forms=('dot',), has=('digraph', 'group')),
    wrong('stack resource list none', 'Stack not found: none'),
    wrong('stack resource list s --nested-depth deep', 'deep', code=2),
    Step('stack resource show s a', has=('Test::Thing', 'CREATE_COMPLETE'),
         check=lambda shown: shown['attributes']['value'] == 'hi'),
    Step('stack resource show s a --with-attr value', has=('hi',)),
    wrong('stack resource show s none', 'not found', 'none'),
    wrong('stack resource show none a', 'not found', 'none'),
    Step('stack resource metadata s a', has=('deep',),
         check=_cell('k', {'deep': [1, 2]})),
    wrong('stack resource metadata s none', 'none'),
    # -- what happened
    Step('stack event list s', has=('CREATE_COMPLETE',), columns=(
        'event_time', 'id', 'logical_resource_id', 'physical_resource_id',
        'resource_name', 'resource_status', 'resource_status_reason'),
        rows=8, save={'event': lambda rows: next(
            row['id'] for row in rows if row['resource_name'] == 'a')}),
    Step('stack event list s', forms=('log',), has=(
        '[s.a]: CREATE_COMPLETE', '[s]: CREATE_COMPLETE')),
    Step('stack event list s --resource a', rows=2),
    wrong('stack event list s --resource none', 'none'),
    Step('stack event list s --filter resource_name=a', rows=2),
    Step('stack event list s --limit 3', rows=3),
    Step('stack event list s --nested-depth 2', has=('s-group-',), rows=26),
    Step('stack event list s --marker $event --sort event_time:asc'),
    wrong('stack event list s --resource a --nested-depth 2', 'nested'),
    wrong('stack event list none', 'none'),
    Step('stack event show s a $event', has=('Test::Thing', '$event'),
         check=_cell('resource_name', 'a')),
    wrong('stack event show s a none', 'none'),
    wrong('stack event show s none $event', 'none'),
    # -- messages to resources
    plain('stack resource signal s a --data {"how":"loud"}'),
    plain('stack resource signal s a --data-file $data'),
    until('stack event list s --resource a', 'SIGNAL_COMPLETE'),
    wrong('stack resource signal s a --data {how', 'JSON'),
    wrong('stack resource signal s a --data [1]', 'JSON dict'),
    wrong('stack resource signal s a --data {} --data-file $data',
          'one of data or data-file'),
    wrong('stack resource signal s none', 'none'),
    plain('stack resource mark unhealthy s a worn'),
    Step('stack resource show s a', has=('CHECK_FAILED', 'worn')),
    plain('stack resource mark unhealthy s a --reset'),
    Step('stack resource show s a', has=('CHECK_COMPLETE',)),
    wrong('stack resource mark unhealthy s none', 'none'),
    # -- actions
    once('stack check s --wait', forms=('table',), has=('CHECK_COMPLETE',)),
    once('stack check s', columns=ACTED, rows=1),
    until('stack show s', 'CHECK_COMPLETE'),
    wrong('stack check none', 'Stack not found: none'),
    once('stack suspend s --wait', columns=ACTED,
         check=_column('Stack Status', 'SUSPEND_COMPLETE')),
    wrong('stack update s -t $world', 'suspended'),
    once('stack resume s --wait', columns=ACTED,
         check=_column('Stack Status', 'RESUME_COMPLETE')),
    once('stack suspend s', forms=('table',), has=('$id',)),
    until('stack show s', 'SUSPEND_COMPLETE'),
    once('stack resume s', forms=('table',), has=('$id',)),
    until('stack show s', 'RESUME_COMPLETE'),
    wrong('stack suspend none', 'Stack not found: none'),
    wrong('stack resume none', 'Stack not found: none'),
    # -- deletion
    once('stack create s2 -t $small', forms=('table',), has=('s2',)),
    Step('stack show s2', has=('s2',),
         save={'id2': lambda shown: shown['id']}),
    wrong('stack delete none --yes', 'none'),
    plain('stack delete $id $id2 --yes --wait'),
    Step('stack list', rows=0),
    Step('stack show $id', has=('DELETE_COMPLETE',)),
)

UPDATES = (
    once('stack create u -t $world --wait --parameter word=hi --tags a',
         save={'id': lambda shown: shown['id']}),
    Step('stack update u -t $world --parameter word=ho --dry-run', columns=(
        'added', 'deleted', 'replaced', 'unchanged', 'updated'),
         check=lambda shown: 'a' in str(shown['updated'])),
    Step('stack update u -t $world --parameter word=ho --dry-run '
         '--show-nested', has=('inner.yaml', 'u-alias-')),
    once('stack update u -t $world --parameter word=ho --tags b,c --wait '
         '--timeout 9 --rollback enabled', columns=STACK,
         check=_cell('stack_status', 'UPDATE_COMPLETE')),
    Step('stack show u', check=lambda shown: (
        shown['tags'] == ['b', 'c'] and shown['timeout_mins'] == 9
        and not shown['disable_rollback'])),
    once('stack update u --existing --parameter-file '
         'text=file://$text --wait -e $env', forms=('table',),
         has=('UPDATE_COMPLETE',)),
    Step('stack show u', check=lambda shown: (
        shown['parameters']['word'] == 'ho'
        and shown['parameters']['text'] == 'from a file\n')),
    once('stack update u --existing --clear-parameter word --rollback '
         'disabled --wait'),
    Step('stack show u', check=lambda shown: (
        shown['parameters']['word'] == 'hello'
        and shown['disable_rollback'])),
    once('stack update u --existing --converge --wait'),
    wrong('stack update none -t $world', 'none'),
    wrong('stack update u -t $bad', 'resources.a', 'No::Such'),
    wrong('stack update u --existing --parameter more=1', 'more'),
    wrong('stack update u -t $world --rollback maybe', 'maybe', code=2),
    wrong('stack update u -t $world -s c', 'container'),
    plain('stack delete $id -y --wait'),
)

HOOKS = (
    once('stack create h -t $small --pre-create a',
         save={'h': lambda shown: shown['id']}),
    until('stack hook poll h', 'paused'),
    Step('stack hook poll h', rows=1, columns=(
        'Resource Name', 'ID', 'Resource Status Reason', 'Resource Status',
        'Event Time'), has=('pre-create',)),
    Step('stack hook poll h --nested-depth 2', rows=1, columns=(
        'Resource Name', 'ID', 'Resource Status Reason', 'Resource Status',
        'Event Time', 'Stack Name')),
    wrong('stack hook poll none', 'none'),
    plain('stack hook clear h none'),
    wrong('stack hook clear none a', 'none'),
    plain('stack hook clear h a --pre-create'),
    until('stack show h', 'CREATE_COMPLETE'),
    once('stack update h -t $small --parameter word=new --pre-update a',
         forms=('table',)),
    until('stack hook poll h', 'paused'),
    plain('stack hook clear h a --pre-update'),
    until('stack show h', 'UPDATE_COMPLETE'),
    once('stack update h -t $small -e $hooked --wait'),
    plain('stack delete h --yes'),
    until('stack hook poll h', 'paused'),
    plain('stack hook clear h a --pre-delete'),
    until('stack show $h', 'DELETE_COMPLETE'),
)

CANCELS = (
    once('stack create c -t $small --wait',
         save={'c': lambda shown: shown['id']}),
    wrong('stack cancel c', 'create_complete'),
    wrong('stack cancel none', 'none'),
    once('stack update c -t $slow'),
    once('stack cancel c --no-rollback', columns=ACTED, rows=1),
    until('stack show c', 'UPDATE_FAILED'),
    once('stack update c -t $slow --parameter word=other'),
    once('stack cancel c --wait', forms=('table',),
         has=('ROLLBACK_COMPLETE',)),
    plain('stack delete $c --yes --wait'),
    once('stack create f -t $failing --wait', code=1,
         has=('CREATE_FAILED', 'went wrong')),
    Step('stack show f', has=('f',), save={'f': lambda shown: shown['id']}),
    plain('stack failures list f', 'f.a:', 'went wrong'),
    plain('stack failures list f --long', 'f.a:', 'physical_resource_id'),
    wrong('stack failures list none', 'none'),
    plain('stack delete $f --yes --wait'),
)

MOVES = (
    once('stack create m -t $small --wait'),
    Step('stack export m', has=('Test::Thing', 'COMPLETE'), columns=(
        'action', 'environment', 'files', 'id', 'name', 'project_id',
        'resources', 'stack_user_project_id', 'status', 'tags',
        'template')),
    plain('stack export m --output-file $dir/m.json'),
    wrong('stack export none', 'none'),
    once('stack abandon m', has=('Test::Thing',)),
    until('stack list', '[]'),
    wrong('stack abandon none', 'none'),
    once('stack adopt n --adopt-file $dir/m.json --wait --timeout 3 '
         '--enable-rollback --parameter word=hi -e $env', columns=STACK,
         check=_cell('stack_status', 'ADOPT_COMPLETE')),
    wrong('stack adopt n --adopt-file $dir/m.json', 'already exists'),
    wrong('stack adopt o --adopt-file $dir/none.json', 'none.json'),
    plain('stack abandon n --output-file $dir/n.json'),
    until('stack list', '[]'),
    once('stack adopt o --adopt-file $dir/n.json', forms=('table',),
         has=('ADOPT_',)),
    until('stack show o', 'ADOPT_COMPLETE'),
    once('stack create p -t $small --wait'),
    once('stack abandon p', forms=('table',), has=('Test::Thing',)),
    plain('stack delete o --yes'),
    until('stack list', '[]'),
)

SNAPSHOTS = (
    once('stack create s -t $small --wait',
         save={'id': lambda shown: shown['id']}),
    once('stack snapshot create s --name first', columns=(
        'ID', 'name', 'action', 'status', 'status_reason', 'data',
        'creation_time'), save={'snapshot': lambda shown: shown['ID']}),
    until('stack snapshot show s $snapshot', 'COMPLETE'),
    Step('stack snapshot show s $snapshot', columns=('snapshot',),
         has=('first',)),
    Step('stack snapshot list s', rows=1, has=('first', '$snapshot'),
         columns=('id', 'name', 'action', 'status', 'status_reason',
                  'creation_time')),
    until('stack show s', 'SNAPSHOT_COMPLETE'),
    once('stack snapshot create s', forms=('table',), has=('IN_PROGRESS',)),
    until('stack show s', 'SNAPSHOT_COMPLETE'),
    once('stack update s -t $small --parameter word=new --wait'),
    plain('stack snapshot restore s $snapshot'),
    until('stack show s', 'RESTORE_COMPLETE'),
    Step('stack resource show s a', has=('hello',)),
    plain('stack snapshot delete s $snapshot --yes'),
    until_gone('stack snapshot list s', '$snapshot'),
    Step('stack snapshot list s', rows=1),
    wrong('stack snapshot show s $snapshot', 'not found'),
    wrong('stack snapshot restore s $snapshot', 'not found'),
    wrong('stack snapshot delete s $snapshot -y', 'not found'),
    wrong('stack snapshot list none', 'none'),
    wrong('stack snapshot create none', 'none'),
    plain('stack delete $id --yes --wait'),
)

CATALOGUE = (
    Step('orchestration build info', columns=('api', 'engine'),
         has=('revision',)),
    wrong('orchestration build info more', 'more', code=2),
    Step('orchestration service list', rows=1, has=('heat-engine', 'up'),
         columns=('Hostname', 'Binary', 'Engine ID', 'Host', 'Topic',
                  'Updated At', 'Status')),
    wrong('orchestration service list more', 'more', code=2),
    Step('orchestration resource type list', columns=('Resource Type',),
         has=('OS::Heat::Value', 'Test::Thing')),
    Step('orchestration resource type list --long --filter '
         'name=OS::Heat::Val.*', rows=1,
         columns=('Resource Type', 'Description')),
    wrong('orchestration resource type list more', 'more', code=2),
    Step('orchestration resource type show OS::Heat::Value', columns=(
        'resource_type', 'properties', 'attributes', 'support_status')),
    Step('orchestration resource type show OS::Heat::Value --long',
         has=('description',)),
    Step('orchestration resource type show OS::Heat::Value '
         '--template-type hot', has=('heat_template_version',)),
    Step('orchestration resource type show OS::Heat::Value '
         '--template-type cfn', has=('HeatTemplateFormatVersion',)),
    wrong('orchestration resource type show No::Such', 'No::Such'),
    wrong('orchestration resource type show OS::Heat::Value '
          '--template-type odd', 'odd'),
    Step('orchestration template version list', rows=13, columns=(
        'Version', 'Type', 'Aliases'), has=('heat_template_version.wallaby',)),
    wrong('orchestration template version list more', 'more', code=2),
    Step('orchestration template function list '
         'heat_template_version.2021-04-16', columns=(
             'Functions', 'Description'), has=('get_attr',)),
    Step('orchestration template function list --with_conditions '
         'heat_template_version.2021-04-16', has=('contains',)),
    wrong('orchestration template function list none', 'none'),
    Step('orchestration template validate -t $world -e $env --parameter '
         'word=hi --show-nested', has=('A world.', 'word'), columns=(
             'Description', 'Environment', 'NestedParameters',
             'Parameters')),
    Step('orchestration template validate -t $cloudy --ignore-errors '
         '99001', has=('A server.',)),
    wrong('orchestration template validate -t $cloudy', 'resources.a'),
    wrong('orchestration template validate -t $bad', 'resources.a'),
    wrong('orchestration template validate -t $world --ignore-errors many',
          'many'),
    wrong('orchestration template validate -t $world --files-container c',
          'container'),
)

SOFTWARE = (
    once('software config create c --config-file $script '
         '--definition-file $definition --group script', columns=(
             'config', 'creation_time', 'group', 'id', 'inputs', 'name',
             'options', 'outputs'),
         save={'config': lambda shown: shown['id']}),
    once('software config create d', forms=('table',), has=('d',)),
    wrong('software config create e --config-file $dir/none', 'none'),
    wrong('software config create e --definition-file $script',
          'str'),
    Step('software config list', rows=2, has=('$config', 'script'),
         columns=('id', 'name', 'group', 'creation_time')),
    Step('software config list --limit 1', rows=1),
    Step('software config list --marker $config', check=lambda rows: (
        len(rows) < 2)),
    wrong('software config list --limit some', 'some', code=2),
    Step('software config show $config', has=('echo', 'who')),
    plain('software config show --config-only $config', 'echo hello'),
    wrong('software config show none', 'Configuration not found: none'),
    once('software deployment create d --config $config --server srv '
         '--input-value who=me --input-value more=1 --action CREATE '
         '--signal-transport NO_SIGNAL --timeout 5 --container unused',
         columns=('action', 'config_id', 'creation_time', 'id',
                  'input_values', 'output_values', 'server_id', 'status',
                  'status_reason'),
         save={'deployment': lambda shown: shown['id'],
               'derived': lambda shown: shown['config_id']}),
    once('software deployment create e --server other --signal-transport '
         'NO_SIGNAL', forms=('table',), has=('other', 'UPDATE')),
    wrong('software deployment create f --config none --server s '
          '--signal-transport NO_SIGNAL', 'not found: none'),
    wrong('software deployment create f --config $config --server s '
          '--signal-transport SMOKE_SIGNAL', 'SMOKE_SIGNAL'),
    wrong('software deployment create f --config $config', '--server',
          code=2),
    Step('software deployment list', rows=2, has=('$deployment', 'srv'),
         columns=('id', 'config_id', 'server_id', 'action', 'status')),
    Step('software deployment list --server srv --long', rows=1, columns=(
        'id', 'config_id', 'server_id', 'action', 'status',
        'creation_time', 'status_reason')),
    wrong('software deployment list more', 'more', code=2),
    Step('software deployment show $deployment', has=('srv', 'CREATE')),
    Step('software deployment show --long $deployment',
         has=('input_values',)),
    wrong('software deployment show none', 'Deployment not found: none'),
    plain('software deployment metadata show srv', 'echo hello',
          'deploy_server_id'),
    plain('software deployment metadata show nobody', '[]'),
    wrong('software deployment metadata show', 'server', code=2),
    plain('software deployment output show $deployment --all', ''),
    plain('software deployment output show $deployment --all --long', ''),
    wrong('software deployment output show $deployment', 'output'),
    plain('software deployment output show $deployment answer'),
    wrong('software deployment output show none answer', 'none'),
    wrong('software deployment output show none --all', 'none'),
    wrong('software config delete $derived', 'Unable to delete 1 of the 1'),
    plain('software deployment delete $deployment'),
    wrong('software deployment delete none', 'Unable to delete 1 of the 1'),
    plain('software config delete $config'),
    wrong('software config delete none', 'Unable to delete 1 of the 1'),
)

STORIES = {
    'life': LIFE,
    'updates': UPDATES,
    'hooks': HOOKS,
    'cancels': CANCELS,
    'moves': MOVES,
    'snapshots': SNAPSHOTS,
    'catalogue': CATALOGUE,
    'software': SOFTWARE,
}
