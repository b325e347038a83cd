"""Software configs, their deployments to servers, and what servers report."""
import email
import json

import pytest
import yaml

from tests.functional import rest
from tests.functional.templates import attr
from tests.functional.templates import hot


def ref(name):
    return {'get_resource': name}


def config(**props):
    return {'type': 'OS::Heat::SoftwareConfig', 'properties': {
        'group': 'script', 'config': 'echo $who > $deploy_stdout',
        'inputs': [{'name': 'who', 'default': 'world'}],
        'outputs': [{'name': 'result'},
                    {'name': 'trouble', 'error_output': True}], **props}}


def deployment(**props):
    return {'type': 'OS::Heat::SoftwareDeployment', 'properties': {
        'config': ref('config'), 'server': ref('server'),
        'signal_transport': 'HEAT_SIGNAL', **props}}


SERVER = {'type': 'OS::Heat::DeployedServer', 'properties': {
    'software_config_transport': 'POLL_SERVER_HEAT'}}


def template(config_props=None, **props):
    return hot({'config': config(**(config_props or {})), 'server': SERVER,
                'deployment': deployment(**props)}, outputs={
        'result': {'value': attr('deployment', 'result')},
        'stdout': {'value': attr('deployment', 'deploy_stdout')},
        'code': {'value': attr('deployment', 'deploy_status_code')}})


def told(stack, server='server'):
    """Return what the agent of a server is told to apply, by name."""
    answer = stack.request('GET', f'resources/{server}/metadata')
    found = answer.json['metadata'] if answer.status == 200 else {}
    return {each['name']: each for each in found.get('deployments', ())}


def inputs_of(offered):
    return {each['name']: each.get('value') for each in offered['inputs']}


def offered(stack, **wanted):
    """Wait until the server is offered a config with these inputs."""
    def look():
        for each in told(stack).values():
            values = inputs_of(each)
            if all(values.get(key) == value
                   for key, value in wanted.items()):
                return each
        return None
    return rest.wait_for(look, lambda: told(stack))


def signal(stack, name='deployment', **details):
    stack.request('POST', f'resources/{name}/signal', {
        'deploy_stdout': '', 'deploy_stderr': '', 'deploy_status_code': 0,
        **details}, expect=200)


def created(api, tmpl=None, name='s', **details):
    stack = api.create(name, tmpl or template())
    offered(stack, deploy_action='CREATE')
    signal(stack, **details)
    stack.wait('CREATE_COMPLETE')
    return stack


def nothing_is_left(api):
    return api.get('software_configs')['software_configs'] == [] and (
        api.get('software_deployments')['software_deployments'] == [])


def test_deployment_waits_for_its_signal(driver, api):
    stack = api.create('s', template(input_values={'who': 'anna',
                                                   'more': [1]}))
    seen = offered(stack, deploy_action='CREATE')
    assert stack.state == 'CREATE_IN_PROGRESS'
    assert stack.states()['deployment'] == 'CREATE_IN_PROGRESS'
    assert (seen['group'], seen['config']) == (
        'script', 'echo $who > $deploy_stdout')
    values = inputs_of(seen)
    assert (values['who'], values['more']) == ('anna', [1])
    assert values['deploy_server_id'] == stack.physical('server')
    assert values['deploy_stack_id'] == f's/{stack.id}'
    assert values['deploy_resource_name'] == 'deployment'
    assert values['deploy_signal_transport'] == 'HEAT_SIGNAL'
    assert values['deploy_password']
    signal(stack, deploy_stdout='hello', result={'a': 1})
    stack.wait('CREATE_COMPLETE')
    assert stack.outputs() == {'result': {'a': 1}, 'stdout': 'hello',
                               'code': 0}
    # What it has done may be seen before that it came.
    rest.wait_for(lambda: 'deployment SIGNAL_IN_PROGRESS' in stack.events(
        'deployment'), lambda: stack.events('deployment'))
    [row] = api.get('software_deployments')['software_deployments']
    assert (row['id'], row['status'], row['status_reason']) == (
        stack.physical('deployment'), 'COMPLETE', 'Outputs received')
    # A second report changes nothing.
    signal(stack, deploy_stdout='again')
    assert stack.outputs()['stdout'] == 'hello'
    stack.deleted()
    assert nothing_is_left(api)


@pytest.mark.parametrize(('details', 'reason'), [
    ({'deploy_status_code': 3}, 'non-zero status code: 3'),
    ({'trouble': 'no disk'}, 'trouble : no disk')])
def test_deployment_fails(driver, api, details, reason):
    stack = api.create('s', template())
    offered(stack, deploy_action='CREATE')
    signal(stack, **details)
    stack.wait('CREATE_FAILED')
    assert reason in stack.show()['stack_status_reason']
    assert 'resources.deployment: Deployment to server failed' in (
        stack.show()['stack_status_reason'])
    stack.deleted()
    assert nothing_is_left(api)


def test_nobody_is_waited_for_without_signal(driver, api):
    stack = api.created('s', template(signal_transport='NO_SIGNAL'))
    assert told(stack)
    [row] = api.get('software_deployments')['software_deployments']
    assert row['status'] == 'COMPLETE'
    stack.deleted()
    assert nothing_is_left(api)


def test_update_offers_the_new_values(driver, api):
    stack = created(api)
    first = stack.physical('deployment')
    stack.update(template(input_values={'who': 'ben'}))
    seen = offered(stack, deploy_action='UPDATE', who='ben')
    assert stack.state == 'UPDATE_IN_PROGRESS'
    # The old config has gone from the server, and everywhere.
    assert list(told(stack).values()) == [seen]
    signal(stack, deploy_stdout='new')
    stack.wait('UPDATE_COMPLETE')
    assert stack.outputs()['stdout'] == 'new'
    assert stack.physical('deployment') == first
    assert len(api.get('software_configs')['software_configs']) == 2


def test_update_that_is_not_wished_for(driver, api):
    stack = created(api, template(actions=['CREATE']))
    stack.updated(template(actions=['CREATE'], input_values={'who': 'x'}))
    assert inputs_of(next(iter(told(stack).values())))['who'] == 'world'


def test_input_that_calls_for_a_replacement(driver, api):
    declared = {'inputs': [{'name': 'who', 'replace_on_change': True}]}
    stack = created(api, template(declared, input_values={'who': 'a'}))
    first = stack.physical('deployment')
    stack.update(template(declared, input_values={'who': 'b'}))
    offered(stack, deploy_action='CREATE', who='b')
    signal(stack)
    stack.wait('UPDATE_COMPLETE')
    assert stack.physical('deployment') != first
    assert len(told(stack)) == 1


def test_config_for_deleting(driver, api):
    stack = created(api, template(actions=['CREATE', 'DELETE']))
    stack.delete()
    offered(stack, deploy_action='DELETE')
    assert stack.state == 'DELETE_IN_PROGRESS'
    signal(stack)
    stack.wait_deleted()
    assert nothing_is_left(api)


def test_config_for_suspending(driver, api):
    stack = created(api, template(actions=['CREATE', 'SUSPEND', 'RESUME']))
    for action, state in (('suspend', 'SUSPEND'), ('resume', 'RESUME')):
        stack.act(action)
        offered(stack, deploy_action=state)
        signal(stack)
        stack.wait(f'{state}_COMPLETE')


def test_stack_is_deleted_while_a_server_is_waited_for(driver, api):
    stack = api.create('s', template())
    offered(stack, deploy_action='CREATE')
    stack.deleted()
    assert nothing_is_left(api)


def test_cancelled_update(driver, api):
    stack = created(api)
    stack.update(template(input_values={'who': 'ben'}))
    offered(stack, deploy_action='UPDATE', who='ben')
    stack.act('cancel_update')
    if driver == 'convergence':
        # What runs finishes first.
        signal(stack)
        offered(stack, deploy_action='UPDATE', who='world')
    else:
        # It is given up at once, failed, and so replaced.
        offered(stack, deploy_action='CREATE', who='world')
    signal(stack)
    stack.wait('ROLLBACK_COMPLETE')


def test_deployments_go_in_the_order_of_their_dependencies(driver, api):
    tmpl = hot({'config': config(), 'server': SERVER,
                'first': deployment(name='20-first'),
                'second': {**deployment(name='10-second'),
                           'depends_on': 'first'}})
    stack = api.create('s', tmpl)
    rest.wait_for(lambda: set(told(stack)) == {'20-first'},
                  lambda: told(stack))
    assert stack.states()['second'].startswith('INIT')
    signal(stack, 'first')
    rest.wait_for(lambda: len(told(stack)) == 2, lambda: told(stack))
    # Those there are at the same time are sorted by name.
    assert list(told(stack)) == ['10-second', '20-first']
    signal(stack, 'second')
    stack.wait('CREATE_COMPLETE')
    server = stack.physical('server')
    listed = api.get(f'software_deployments/metadata/{server}')['metadata']
    assert [each['name'] for each in listed] == ['10-second', '20-first']


def test_agent_is_told_where_to_look(driver, api):
    stack = created(api)
    agent = stack.resource('server', with_attr='os_collect_config')[
        'attributes']['os_collect_config']
    assert agent['collectors'] == ['heat', 'local']
    assert agent['heat']['stack_id'] == f's/{stack.id}'
    assert agent['heat']['resource_name'] == 'server'
    assert agent['heat']['password']


def test_agent_of_the_cfn_api(driver, api):
    stack = api.created('s', hot({'server': {
        'type': 'OS::Heat::DeployedServer',
        'properties': {'name': 'web',
                       'software_config_transport': 'POLL_SERVER_CFN'}}},
        outputs={'agent': {'value': attr('server', 'os_collect_config')},
                 'name': {'value': attr('server', 'name')}}))
    assert stack.outputs()['name'] == 'web'
    agent = stack.outputs()['agent']
    assert agent['collectors'] == ['cfn', 'local']
    assert agent['cfn'] == {
        'metadata_url': 'http://cfn.test:8000/v1/', 'stack_name': 's',
        'path': 'server.Metadata',
        'access_key_id': agent['cfn']['access_key_id'],
        'secret_access_key': agent['cfn']['secret_access_key']}
    assert agent['cfn']['secret_access_key']
    stack.updated(hot({'server': SERVER}))
    agent = stack.resource('server')['attributes']['os_collect_config']
    assert agent['collectors'] == ['heat', 'local']
    # What the agent knows from before is overridden.
    assert set(agent['cfn'].values()) == {None}


def test_metadata_of_the_template_go_with_the_deployments(driver, api):
    def with_metadata(value):
        tmpl = template()
        tmpl['resources']['server'] = {**SERVER, 'metadata': {'k': value}}
        return tmpl

    stack = created(api, with_metadata('a'))
    stack.updated(with_metadata('b'))
    metadata = stack.get('resources/server/metadata')['metadata']
    assert metadata['k'] == 'b'
    assert len(metadata['deployments']) == 1
    assert metadata['os-collect-config']['heat']['password']


def test_signed_url_tells_how_to_signal(driver, api):
    stack = api.create('s', template(signal_transport='CFN_SIGNAL'))
    values = inputs_of(offered(stack, deploy_signal_verb='POST'))
    url = values['deploy_signal_id']
    assert url.startswith('http://cfn.test:8000/v1/signal/arn%3Aopenstack')
    assert 'Signature=' in url
    signal(stack)
    stack.wait('CREATE_COMPLETE')


@pytest.mark.parametrize('transport', ['TEMP_URL_SIGNAL', 'ZAQAR_SIGNAL'])
def test_transport_without_its_service(driver, api, transport):
    answer = api.create('s', template(signal_transport=transport),
                        expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.deployment.properties.signal_transport' in (
        answer.message)


def test_structured_deployment(driver, api):
    stack = api.create('s', hot({
        'config': {'type': 'OS::Heat::StructuredConfig', 'properties': {
            'config': {'a': {'get_input': 'who'}, 'b': [
                {'get_input': 'nobody'}, {'other': 'x'}]},
            'inputs': [{'name': 'who'}]}},
        'server': SERVER,
        'deployment': {**deployment(input_values={'who': {'x': 1}}),
                       'type': 'OS::Heat::StructuredDeployment'}}))
    assert offered(stack, deploy_action='CREATE')['config'] == {
        'a': {'x': 1}, 'b': [None, {'other': 'x'}]}
    signal(stack)
    stack.wait('CREATE_COMPLETE')


def test_structured_deployment_that_is_strict(driver, api):
    stack = api.create('s', hot({
        'config': {'type': 'OS::Heat::StructuredConfig', 'properties': {
            'config': {'a': {'get_input': 'nobody'}}}},
        'server': SERVER,
        'deployment': {**deployment(input_values_validate='STRICT'),
                       'type': 'OS::Heat::StructuredDeployment'}}))
    stack.wait('CREATE_FAILED')
    assert 'nobody' in stack.show()['stack_status_reason']


@pytest.mark.parametrize('kind', ['Software', 'Structured'])
def test_group_of_deployments(driver, api, kind):
    group = {'type': f'OS::Heat::{kind}DeploymentGroup', 'properties': {
        'config': ref('config'), 'signal_transport': 'HEAT_SIGNAL',
        'servers': {'a': ref('one'), 'b': ref('two')}}}
    source = config() if kind == 'Software' else {
        'type': 'OS::Heat::StructuredConfig',
        'properties': {'config': {'x': 1}}}

    def tmpl(servers):
        changed = {**group, 'properties': {**group['properties'],
                                           'servers': servers}}
        return hot({'config': source, 'one': SERVER, 'two': SERVER,
                    'group': changed},
                   outputs={'all': {'value': attr('group',
                                                  'deploy_stdouts')}})

    stack = api.create('s', tmpl({'a': ref('one'), 'b': ref('two')}))
    for server, name in (('one', 'a'), ('two', 'b')):
        rest.wait_for(lambda server=server: told(stack, server),
                      'an offer')
        signal(stack.nested('group'), name, deploy_stdout=f'of {name}')
    stack.wait('CREATE_COMPLETE')
    assert stack.outputs() == {'all': {'a': 'of a', 'b': 'of b'}}
    nested = stack.nested('group')
    assert set(nested.resources()) == {'a', 'b'}
    stack.updated(tmpl({'a': ref('one')}))
    assert stack.outputs() == {'all': {'a': 'of a'}}
    stack.deleted()
    assert nothing_is_left(api)


def test_component(driver, api):
    stack = api.create('s', hot({
        'config': {'type': 'OS::Heat::SoftwareComponent', 'properties': {
            'configs': [
                {'tool': 'script', 'config': 'install',
                 'actions': ['CREATE']},
                {'tool': 'script', 'config': 'remove',
                 'actions': ['DELETE']}]}},
        'server': SERVER, 'deployment': deployment()},
        outputs={'first': {'value': attr('config', 'config', 0,
                                         'config')}}))
    seen = offered(stack, deploy_action='CREATE')
    assert seen['group'] == 'component'
    assert [each['config'] for each in seen['config']['configs']] == [
        'install', 'remove']
    signal(stack)
    stack.wait('CREATE_COMPLETE')
    assert stack.outputs() == {'first': 'install'}
    stack.delete()
    offered(stack, deploy_action='DELETE')
    signal(stack)
    stack.wait_deleted()


def test_component_with_two_configs_for_an_action(api):
    answer = api.create('s', hot({'c': {
        'type': 'OS::Heat::SoftwareComponent', 'properties': {'configs': [
            {'tool': 'a', 'actions': ['CREATE']}, {'tool': 'b'}]}}}),
        expect=400)
    assert 'resources.c.properties.configs' in answer.message


def test_cloud_config(driver, api):
    stack = api.created('s', hot({'c': {
        'type': 'OS::Heat::CloudConfig', 'properties': {
            'cloud_config': {'users': ['anna'], 'runcmd': ['ls']}}}}))
    text = stack.resource('c')['attributes']['config']
    assert text.startswith('#cloud-config\n')
    assert yaml.safe_load(text) == {'users': ['anna'], 'runcmd': ['ls']}


def test_multipart(driver, api):
    stack = api.created('s', hot({
        'script': {'type': 'OS::Heat::SoftwareConfig',
                   'properties': {'config': '#!/bin/sh\nls'}},
        'inner': {'type': 'OS::Heat::MultipartMime', 'properties': {
            'parts': [{'config': 'ä', 'subtype': 'x-other'}]}},
        'all': {'type': 'OS::Heat::MultipartMime', 'properties': {'parts': [
            {'config': ref('script'), 'filename': 'a.sh',
             'subtype': 'x-shellscript'},
            {'config': 'text'},
            {'config': ref('inner'), 'type': 'multipart'}]}}}))
    message = email.message_from_string(
        stack.resource('all')['attributes']['config'])
    parts = message.get_payload()
    assert [part.get_content_type() for part in parts] == [
        'text/x-shellscript', 'text/plain', 'text/x-other']
    assert [part.get_payload(decode=True).decode() for part in parts] == [
        '#!/bin/sh\nls', 'text', 'ä']
    assert parts[0].get_filename() == 'a.sh'


def test_multipart_with_text_that_is_not_encoded(driver, api):
    given = ('MIME-Version: 1.0\n'
             'Content-Type: multipart/mixed; boundary="=="\n\n'
             '--==\nContent-Type: text/x-shellscript\n\n#!/bin/sh\n# ä\n'
             '--==--\n')
    stack = api.created('s', hot({
        'all': {'type': 'OS::Heat::MultipartMime', 'properties': {'parts': [
            {'config': given, 'type': 'multipart'}]}}}))
    message = email.message_from_string(
        stack.resource('all')['attributes']['config'])
    [part] = message.get_payload()
    assert part.get_content_charset() == 'utf-8'
    assert part.get_payload(decode=True).decode() == '#!/bin/sh\n# ä'


def test_config_that_is_deployed_by_hand(driver, api):
    stack = api.created('s', hot({'config': config()}))
    deployed = api.post('software_deployments', {
        'config_id': stack.physical('config'), 'server_id': 'x'})
    stack.delete()
    stack.wait('DELETE_FAILED')
    assert 'a deployment uses it' in stack.show()['stack_status_reason']
    made = deployed['software_deployment']['id']
    api.request('DELETE', f'software_deployments/{made}', expect=204)
    stack.deleted()


def test_foreign_server_is_left_alone(api, service):
    stack = created(api)
    before = stack.get('resources/server/metadata')
    other = rest.Client(service.application, 'other')
    source = other.post('software_configs', {'config': 'evil'})[
        'software_config']
    made = other.post('software_deployments', {
        'config_id': source['id'], 'server_id': stack.physical('server')})[
            'software_deployment']
    assert stack.get('resources/server/metadata') == before
    assert json.dumps(before).count('evil') == 0
    for path in (f'software_deployments/{made["id"]}',
                 f'software_configs/{source["id"]}'):
        other.request('DELETE', path, expect=204)
