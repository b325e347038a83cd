"""An engine in one thread on a database of its own, with simple types.

Time passes only when somebody waits for it.
"""
import contextlib

from heat.common import config  # noqa: F401 (registers options)
from heat.common import context as heat_context
from heat.common import policy
from heat.common import template_format
from heat.common import timeutils
from heat.engine import attributes
from heat.engine import clients
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine import stack as stack_module
from heat.engine import template
from heat.engine.clients.os import keystone
from heat.engine.drivers import select as stack_driver
from heat.engine.resources import template_resource
from heat.engine.resources.openstack.heat import remote_stack
from heat.engine.resources.openstack.heat import resource_group
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import stack_tasks
from heat.objects import event as event_objects
from heat.objects import resource as resource_objects
from tests.fakes import database

ENGINE_ID = 'engine-1'

#: Three things, each of which needs the one before.
LONGER_CHAIN = """
parameters:
  word: {type: string, default: hello}
resources:
  a: {type: Test::Thing, properties: {value: {get_param: word}}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]}}}
  c: {type: Test::Thing, depends_on: b}
outputs:
  out: {value: {get_attr: [b, output]}}
  ref: {value: {get_resource: a}}
"""

#: Two things, each of which needs the one before.
CHAIN = """
parameters:
  word: {type: string, default: hello}
resources:
  a: {type: Test::Thing, properties: {value: {get_param: word}}}
  b: {type: Test::Thing, properties: {value: {get_attr: [a, output]}}}
outputs:
  out: {value: {get_attr: [b, output]}}
  broken: {value: {get_attr: [b, output, x]}}
"""


class Thing(resource.Resource):
    """Something that is there at once, or fails, as its properties say."""

    properties_schema = {
        'value': properties.Schema(properties.Schema.STRING, 'A value.',
                                   default='', update_allowed=True),
        'fixed': properties.Schema(properties.Schema.STRING,
                                   'A value that cannot change.'),
        'polls': properties.Schema(properties.Schema.INTEGER,
                                   'How often to look.', default=0,
                                   update_allowed=True),
        'fail': properties.Schema(properties.Schema.BOOLEAN,
                                  'Whether it fails.', default=False,
                                  update_allowed=True),
        'fail_delete': properties.Schema(
            properties.Schema.BOOLEAN, 'Whether deleting fails.',
            default=False, update_allowed=True),
    }
    attributes_schema = {
        'output': attributes.Schema('The value.'),
    }

    #: (what, resource name) in the order it happened.
    log = []

    def _note(self, what):
        self.log.append((what, self.name))

    def _work(self, props):
        if props['fail']:
            raise ValueError('Thing failed %s' % self.name)
        return {'left': props['polls']}

    def _look(self, work):
        work['left'] -= 1
        return work['left'] < 0

    def handle_create(self):
        self._note('create')
        work = self._work(self.properties)
        self.resource_id_set(self.physical_resource_name())
        self.data_set('value', self.properties['value'])
        return work

    check_create_complete = check_update_complete = _look

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        self._note('update')
        after = json_snippet.properties(self.properties_schema)
        work = self._work(after)
        self.data_set('value', after['value'])
        return work

    def handle_delete(self):
        if self.resource_id is None:
            return
        self._note('delete')
        if self.properties['fail_delete']:
            raise ValueError('Thing stays %s' % self.name)

    def handle_suspend(self):
        self._note('suspend')

    def handle_resume(self):
        self._note('resume')

    def handle_check(self):
        self._note('check')
        if self.data().get('value') == 'sick':
            raise ValueError('Thing is sick %s' % self.name)

    def handle_snapshot(self):
        self._note('snapshot')

    def handle_restore(self, defn, restore_data):
        props = dict(defn.properties(self.properties_schema).data)
        props['value'] = restore_data['resource_data']['value']
        return defn.freeze(properties=props)

    def prepare_for_replace(self):
        self._note('prepare_for_replace')

    def restore_prev_rsrc(self, convergence=False):
        self._note('restore_prev_rsrc')

    def _resolve_attribute(self, name):
        return self.data().get('value')


class Unchecked(Thing):
    """A thing that cannot be checked."""

    handle_check = None


class Clock:
    """Time that stands still unless somebody sleeps."""

    def __init__(self):
        self.now = 1000.0

    def wallclock(self):
        return self.now

    def sleep(self, seconds):
        self.now += max(seconds, 0.001)


class Engine:
    """What a test needs to carry stacks through their actions."""

    def __init__(self, monkeypatch, *, convergence=False):
        database.emptied_sqlite()
        # Where policy files are looked for follows from the options.
        monkeypatch.setattr(policy, 'type_guard', lambda _context: None)
        self.convergence = convergence
        self.clock = Clock()
        monkeypatch.setattr(timeutils, 'wallclock', self.clock.wallclock)
        monkeypatch.setattr(timeutils, 'sleep', self.clock.sleep)
        monkeypatch.setattr(timeutils, 'epoch', self.clock.wallclock)
        monkeypatch.setattr(Thing, 'log', [])
        env = environment.Environment({}, user_env=False)
        env.register_class('Test::Thing', Thing)
        env.register_class('Test::Unchecked', Unchecked)
        for module in (remote_stack, resource_group):
            for name, cls in module.resource_mapping().items():
                env.register_class(name, cls)
        monkeypatch.setattr(environment, '_global_environment', env)
        # No cloud, whatever was loaded before.
        known = {'keystone': keystone.KeystoneClientPlugin}
        monkeypatch.setattr(clients, 'plugins', lambda: known)
        monkeypatch.setattr(heat_context.RequestContext, 'knows_keystone',
                            True)
        template_resource.register(env)
        template_store.forget_all()
        self.pool = task_pool.InlinePool(group_commit.Inline())
        self.groups = stack_tasks.ThreadGroupManager(self.pool)
        self.listener = None
        self.configure()
        self.context = heat_context.RequestContext(
            username='anna', user_id='anna-id', project_id='project',
            roles=['member'], is_admin=False, overwrite=False)

    def configure(self, engine_id=ENGINE_ID, listener=None):
        """Set the drivers up, perhaps as another engine."""
        stack_driver.configure(stack_driver.EngineContext(
            engine_id, self.pool, self.pool.group_commit, self.groups,
            worker_client=None, listener_client=listener,
            stack_class=stack_module.Stack))

    @property
    def log(self):
        """What was done to things."""
        return Thing.log

    def template(self, text, params=None, files=None, **env):
        """Return the parsed template of a YAML text."""
        data = template_format.parse(
            'heat_template_version: 2018-08-31\n' + text)
        return template.Template(data, files=files or {},
                                 env=environment.Environment(
                                     {'parameters': params or {}, **env}))

    def stack(self, text, name=None, *, params=None, files=None, env=None,
              **options):
        """Return a validated stack that is stored, but not created."""
        stack = stack_module.Stack(
            self.context, name or database.free_name(self.context),
            self.template(text, params, files, **(env or {})),
            convergence=self.convergence, **options)
        stack.validate()
        stack.store()
        return stack

    def create(self, text, *args, **kwargs):
        """Create a stack and return it as it is stored then."""
        stack = self.stack(text, *args, **kwargs)
        stack.create()
        self.pool.run()
        return self.reload(stack)

    def update(self, stack, text, *, params=None, files=None, env=None,
               **changes):
        """Update a stack and return it as it is stored then."""
        self.begin_update(stack, text, params=params, files=files, env=env,
                          **changes)
        self.pool.run()
        return self.reload(stack)

    def begin_update(self, stack, text, *, params=None, files=None,
                     env=None, **changes):
        """Begin an update."""
        wanted = stack_store.wanted_stack(
            stack, self.template(text, params, files, **(env or {})),
            **changes)
        wanted.validate()
        stack.update(wanted)

    def delete(self, stack):
        """Delete a stack and return what is stored of it."""
        stack.delete()
        self.pool.run()
        return self.reload(stack)

    def reload(self, stack):
        """Return a stack as it is stored."""
        return stack_module.Stack.load(self.context, stack.id)

    def rows(self, stack):
        """Return {name: (action, status)} of the stored resources."""
        rows = resource_objects.Resource.get_all_by_stack(self.context,
                                                          stack.id)
        return {name: (row.action, row.status) for name, row in rows.items()}

    def events(self, stack, name=None):
        """Return 'name ACTION_STATUS' of the events, oldest first."""
        rows = event_objects.Event.get_all_by_stack(self.context, stack.id)
        return ['%s %s_%s' % (row.resource_name, row.resource_action,
                              row.resource_status)
                for row in rows if name in (None, row.resource_name)]

    def values(self, stack):
        """Return the values of all outputs."""
        outputs = stack.outputs
        return {name: outputs[name].get_value() for name in outputs}


@contextlib.contextmanager
def sequence_of(engine):
    """Collect in a list what is done to things meanwhile."""
    start = len(engine.log)
    seen = []
    yield seen
    seen.extend(engine.log[start:])
