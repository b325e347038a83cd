"""Every route of the REST API, against what another project owns.

A foreign thing is answered like one that does not exist: the answers to
both are compared, and nothing of the foreign one is in them.
"""
import re
from urllib import parse
import uuid

import pytest

from heat.api.openstack.v1 import routes
from tests.fakes import rest as facts

RECORDED = facts.load_facts('rest_api')['routes']
#: Those of the recorded API, and all that the service has beside them.
ROUTES = RECORDED + [
    {'method': route.method, 'controller': route.controller,
     'action': route.action, 'path': '/v1' + route.path}
    for route in routes.ROUTES
    if (route.controller, route.action) not in {
        (row['controller'], row['action']) for row in RECORDED}]
TEMPLATE = {'heat_template_version': '2018-08-31', 'resources': {}}
BODIES = {
    'validate_template': {'template': TEMPLATE},
    'create': {'stack_name': 's', 'template': TEMPLATE, 'name': 'c'},
    'preview': {'stack_name': 's', 'template': TEMPLATE},
    'update': {'template': TEMPLATE},
    'update_patch': {'template': TEMPLATE},
    'preview_update': {'template': TEMPLATE},
    'preview_update_patch': {'template': TEMPLATE},
    'snapshot': {'name': 'n'},
    'signal': {'a': 1},
    'mark_unhealthy': {'mark_unhealthy': True},
    'action': {'suspend': None},
}
SOFTWARE_BODIES = {
    ('drift', 'update'): {'interval': 60},
    ('protection', 'update'): {'termination_protection': False},
    ('protection', 'update_policy'): {'stack_policy': None},
    ('software_configs', 'create'): {'name': 'c'},
    ('software_deployments', 'create'): {'server_id': 's',
                                         'config_id': 'c'},
    ('software_deployments', 'update'): {'status': 'FAILED'},
}


def body_of(row):
    return SOFTWARE_BODIES.get((row['controller'], row['action']),
                               BODIES.get(row['action'])
                               if row['method'] != 'GET' else None)


def template_of(row):
    if 'path_pattern' in row:
        return ['/v1/{tenant_id}/stacks/{arn}']
    return [row['path'].replace('{path}', sub)
            for sub in row.get('path_values', [''])]


CASES = [pytest.param(row, template, id=f'{row["method"]} {template}')
         for row in ROUTES for template in template_of(row)]
#: Those that name something of a project beside the project itself.
NAMED = [case for case in CASES if set(re.findall(
    r'{(\w+)}', case.values[1])) & {
        'stack_name', 'arn', 'config_id', 'deployment_id', 'server_id',
        'change_set_id'}]


def with_arn(values, tenant=None):
    return {**values, 'arn': 'arn:openstack:heat::%s:stacks/%s/%s' % (
        tenant or values['tenant_id'], values['stack_name'],
        values['stack_id'])}


def filled(template, values, quote=parse.quote):
    return re.sub(r'{(\w+)}', lambda found: quote(values[found.group(1)]),
                  template)


def in_percent(text):
    """Return a text with each byte percent-encoded."""
    return ''.join('%%%02X' % byte for byte in text.encode())


def twice(text):
    return parse.quote(in_percent(text))


# -- the project in the path -----------------------------------------------

def foreign_paths(template, values, attacker):
    """Return paths that name the project of somebody else."""
    plain = filled(template, values)
    rest_of_path = plain.partition(values['tenant_id'])[2]
    victim, mine = values['tenant_id'], attacker.id
    return {
        'plain': plain,
        'upper case': f'/v1/{victim.upper()}{rest_of_path}',
        'percent': filled(template, values, in_percent),
        'percent twice': filled(template, values, twice),
        'up': f'/v1/{mine}/../{victim}{rest_of_path}',
        'encoded up': f'/v1/{mine}/%2e%2e/{victim}{rest_of_path}',
        'encoded up and slash': f'/v1/{mine}%2f..%2f{victim}{rest_of_path}',
        'slashes': f'/v1//{victim}{rest_of_path}',
        'dot': f'/v1/./{victim}{rest_of_path}',
        'both': f'/v1/{mine}/{victim}{rest_of_path}',
        'parameter': f'/v1/{mine};{victim}{rest_of_path}',
        'blank': f'/v1/{victim}%20{rest_of_path}',
        'blank before': f'/v1/%20{victim}{rest_of_path}',
        'new line': f'/v1/{victim}%0A{rest_of_path}',
        'slash at the end': f'{plain}/',
        'version twice': f'/v1/v1/{victim}{rest_of_path}',
        'query': f'{plain}?tenant_id={mine}&project_id={mine}',
    }


def check(answer, treasure, sent=''):
    """See that an answer tells nothing that the request has not said."""
    told = answer.text + str(answer.headers.get('Location', ''))
    for secret in treasure.secrets():
        assert secret not in told or secret.lower() in sent, (secret, told)


@pytest.mark.parametrize(('row', 'template'), CASES)
def test_foreign_project(attacker, treasure, row, template):
    before = treasure.state()
    values = with_arn(treasure.values)
    paths = foreign_paths(template, values, attacker)
    for who, ways in (('member', paths), ('admin', ['plain', 'up']),
                      ('reader', ['plain']), ('somebody', ['plain']),
                      ('stack user', ['plain'])):
        client = attacker.client(who)
        for way in ways:
            answer = client.request(row['method'], paths[way], body_of(row))
            # Without the right project in the path there is no such path,
            # or nobody may go there.
            assert answer.status in (400, 403, 404, 405), (who, way, answer)
            check(answer, treasure, parse.unquote(parse.unquote(
                paths[way].lower())))
    assert treasure.state() == before


@pytest.mark.parametrize(('row', 'template'), CASES)
def test_nobody(world, treasure, row, template):
    """Without a token, or with one of no use, there is only a refusal."""
    values = with_arn(treasure.values)
    expired = world.keystone.token_of(treasure.project.users['member'])
    world.keystone.expire(expired)
    client = treasure.project.client('member')
    for token in (None, 'no-such-token', '', expired):
        client.token = token
        answer = client.request(row['method'], filled(template, values),
                                body_of(row))
        assert answer.status == 401, answer
        check(answer, treasure)
    client.token = world.keystone.unscoped_token_of(
        treasure.project.users['member'])
    answer = client.request(row['method'], filled(template, values),
                            body_of(row))
    assert answer.status == 403, answer
    check(answer, treasure)


# -- the own project in the path, something foreign behind it ---------------

def foreign_things(treasure, own):
    """Return the values of paths to what is foreign, by name.

    With each comes what stands for nothing, in the same form.
    """
    root, nested = treasure.values, treasure.nested_values()
    ghosts = treasure.ghosts()

    def both(change):
        return change(root), change(ghosts)

    def upper(values):
        return {**values, **{
            key: values[key].upper() for key in (
                'stack_name', 'stack_id', 'config_id', 'deployment_id',
                'snapshot_id', 'event_id', 'change_set_id')}}

    def by_id(values):
        return {**values, 'stack_name': values['stack_id']}

    def id_behind_own_name(values):
        return {**values, 'stack_name': own.stack.name}

    def parts_behind_own_stack(values):
        return {**values, 'stack_name': own.stack.name,
                'stack_id': own.stack.id, 'resource_name': own.values[
                    'resource_name'], 'output_key': 'none',
                'snapshot_id': values['snapshot_id'],
                'change_set_id': values['change_set_id'],
                'event_id': values['event_id']}

    return {
        'root': both(dict), 'nested': (nested, ghosts),
        'upper case': both(upper), 'by id': both(by_id),
        'nested by id': (by_id(nested), by_id(ghosts)),
        'id behind own name': both(id_behind_own_name),
        'parts behind own stack': both(parts_behind_own_stack),
    }


#: What a path behind one's own stack must not reach; the rest is one's own.
_PARTS = ('snapshot_id', 'event_id', 'config_id', 'deployment_id',
          'server_id', 'change_set_id')


def masked(answer, values):
    """Return an answer without what the request said, to compare it."""
    text = answer.text + str(answer.headers.get('Location', ''))
    for value in sorted({each for key, each in values.items()
                         if key not in ('type_name', 'output_key')},
                        key=len, reverse=True):
        for form in (value, parse.quote(value, ''), in_percent(value)):
            text = text.replace(form, '*')
    return answer.status, re.sub(r'req-[0-9a-f-]+', '*', text)


PLAIN = [('member', parse.quote)]
QUOTED = [*PLAIN, ('admin', parse.quote), ('member', in_percent),
          ('member', twice)]


@pytest.mark.parametrize(('row', 'template'), NAMED)
def test_foreign_thing(attacker, treasure, own, conf, row, template):
    conf('enable_stack_abandon', True)
    before = treasure.state()
    for way, (values, ghosts) in foreign_things(treasure, own).items():
        if way.startswith('parts') and not any(
                f'{{{part}}}' in template for part in _PARTS):
            continue
        if way.startswith('id behind') and '{stack_id}' not in template:
            continue
        for who, quote in QUOTED if way in ('root', 'nested') else PLAIN:
            answers = []
            for given in (values, ghosts):
                # The project is the caller's own.
                given = with_arn({**given, 'tenant_id': attacker.id},
                                 values['tenant_id'])
                path = filled(template.replace('{tenant_id}', attacker.id),
                              given, quote)
                answer = attacker.client(who).request(
                    row['method'], path, body_of(row))
                answers.append(masked(answer, given))
                check(answer, treasure, parse.unquote(
                    str(list(given.values())).lower()))
            assert answers[0] == answers[1], (way, answers)
            assert answers[0][0] in (
                (302, 404) if '{arn}' in template else
                (200, 404) if '{server_id}' in template else
                # It is for administrators, wherever.
                (403, 404) if row['action'] == 'update_policy' else
                (404,)), (
                    way, answers)
    assert treasure.state() == before


# -- lists ------------------------------------------------------------------

def filters_of(treasure):
    values = treasure.values
    return [{}, {'tenant': values['tenant_id']},
            {'tenant_id': values['tenant_id']},
            {'project': values['tenant_id']},
            {'id': treasure.stack.id}, {'name': treasure.stack.name},
            {'owner_id': treasure.stack.id}, {'marker': treasure.stack.id},
            {'show_nested': 'true'}, {'show_deleted': 'true'},
            {'show_hidden': 'true'}, {'username': 'victim-member'},
            {'server_id': values['server_id']},
            {'marker': values['config_id']}]


@pytest.mark.parametrize('collection', [
    'stacks', 'stacks/detail', 'software_configs', 'software_deployments'])
def test_lists(attacker, treasure, own, collection):
    for query in filters_of(treasure):
        for who in ('member', 'admin', 'reader'):
            answer = attacker.client(who).request('GET', collection, **query)
            assert answer.status in (200, 400)
            check(answer, treasure, str(query))
    answer = attacker.api.request('GET', collection, global_tenant='true')
    assert answer.status in (200, 403)
    check(answer, treasure)


def test_counts(attacker, treasure, own):
    for query in filters_of(treasure):
        answer = attacker.api.request('GET', 'stacks', with_count='true',
                                      **query)
        if answer.status == 200:
            assert answer.json['count'] <= 2, query


def test_marker_of_a_foreign_event(attacker, treasure, own):
    """It selects nothing, and orders nothing."""
    path = f'{own.stack.path}/events'
    answer = attacker.api.get(path, marker=treasure.values['event_id'])
    assert answer == attacker.api.get(path, marker=str(uuid.uuid4()))


def test_names_are_no_secret_kept_by_conflicts(attacker, treasure):
    """The name of a foreign stack is free."""
    stack = attacker.api.created(treasure.stack.name, TEMPLATE)
    assert stack.id != treasure.stack.id
    stack.deleted()


def test_moves_out_of_a_foreign_stack(attacker, treasure, own):
    """It is answered like a stack that does not exist."""
    before = treasure.state()
    ghosts = treasure.ghosts()
    for who in ('member', 'admin'):
        for key in ('stack_name', 'stack_id'):
            answers = []
            for values in (treasure.values, ghosts):
                body = {'template': TEMPLATE, 'moves': [{
                    'from': {'stack': values[key], 'resource': 'thing'},
                    'to': 'mine'}]}
                answer = attacker.client(who).request(
                    'POST', f'{own.stack.path}/change_sets', body)
                assert answer.status == 404, answer
                answers.append(masked(answer, values))
                check(answer, treasure, str(values).lower())
            assert answers[0] == answers[1]
    assert treasure.state() == before
