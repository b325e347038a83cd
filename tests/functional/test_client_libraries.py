"""Programs that use python-heatclient and openstacksdk.

One story for each library; at its end no method of the library's interface
may be without a call.
"""
import json
import pathlib
import uuid
import warnings

from openstack import exceptions as sdk_exceptions
import pytest

from tests.fakes import identity
from tests.functional import process
from tests.functional import rest
from tests.functional import service
from tests.functional import templates
from tests.functional.templates import hot
from tests.functional.templates import param

with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    from heatclient import client as heat_client
    from heatclient import exc as heat_exc
    import openstack
    from openstack.orchestration.v1 import _proxy

#: What the libraries have to say to their authors.
pytestmark = pytest.mark.filterwarnings('ignore')

METHODS = json.loads(
    (pathlib.Path(__file__).resolve().parents[1] / 'facts' /
     'client_commands.json').read_text())['python_client_methods']
TEMPLATE = hot(
    {'a': templates.thing(value=param('word'), metadata={'k': 1})},
    parameters={'word': {'type': 'string', 'default': 'hello'}},
    outputs={'said': {'value': templates.attr('a', 'value')}})
SLOW = hot({**TEMPLATE['resources'], 'slow': {
    'type': 'OS::Heat::TestResource',
    'properties': {'action_wait_secs': {'create': 10}}}},
    parameters=TEMPLATE['parameters'])


@pytest.fixture(scope='module')
def heat(tmp_path_factory):
    """Return a running service."""
    running = process.HeatAll(
        tmp_path_factory.mktemp('heat'), plugin_dirs=service.PLUGINS,
        enable_stack_adopt=True, enable_stack_abandon=True).start()
    yield running
    assert running.terminate() == 0
    assert 'Traceback' not in running.log.read_text()


class Watched:
    """Passes everything on, and notes which methods were called."""

    def __init__(self, itself, called, prefix=''):
        self._itself = itself
        self._called = called
        self._prefix = prefix

    def __getattr__(self, name):
        value = getattr(self._itself, name)
        if not callable(value):
            return Watched(value, self._called, f'{name}.')

        def call(*args, **kwargs):
            self._called.add(self._prefix + name)
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                return value(*args, **kwargs)
        return call


# -- python-heatclient ------------------------------------------------------

class HeatclientStory:
    """What a program does that knows the library of Heat."""

    def __init__(self, heat, called):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            client = heat_client.Client(
                '1', endpoint=f'{heat.url}/v1/{uuid.uuid4().hex}',
                token='none')
        self.heat = Watched(client, called)
        self.stacks = Watched(client.stacks, called, 'stacks.')

    def wait(self, status, name='s'):
        rest.wait_for(lambda: self.stacks.get(name).stack_status == status,
                      lambda: self.stacks.get(name).to_dict())

    def create(self):
        made = self.stacks.create(stack_name='s', template=TEMPLATE,
                                  parameters={'word': 'hi'}, tags='a,b')
        self.id = made['stack']['id']
        self.wait('CREATE_COMPLETE')
        with pytest.raises(heat_exc.HTTPConflict):
            self.stacks.create(stack_name='s', template=TEMPLATE)
        with pytest.raises(heat_exc.HTTPBadRequest, match='resources.a'):
            self.stacks.create(stack_name='x', template=hot(
                {'a': {'type': 'No::Such'}}))
        assert self.stacks.preview(
            stack_name='x', template=TEMPLATE).stack_name == 'x'

    def look(self):
        stack = self.stacks.get(self.id)
        assert (stack.stack_name, stack.action, stack.status) == (
            's', 'CREATE', 'COMPLETE')
        assert stack.identifier == f's/{self.id}'
        assert stack.outputs[0]['output_value'] == 'hi'
        assert 'outputs' not in self.stacks.get(
            self.id, resolve_outputs=False).to_dict()
        with pytest.raises(heat_exc.HTTPNotFound, match='none'):
            self.stacks.get('none')
        assert [each.id for each in self.stacks.list(
            limit=5, filters={'status': 'COMPLETE'}, tags='a')] == [self.id]
        assert self.stacks.template('s') == TEMPLATE
        assert self.stacks.environment('s')['parameters'] == {'word': 'hi'}
        assert self.stacks.files('s') == {}
        assert self.stacks.export('s')['name'] == 's'
        assert self.stacks.output_list('s')['outputs'] == [
            {'output_key': 'said', 'description': 'No description given'}]
        assert self.stacks.output_show('s', 'said')['output'][
            'output_value'] == 'hi'

    def look_inside(self):
        resources, events = self.heat.resources, self.heat.events
        [listed] = resources.list('s', filters={'type': 'Test::Thing'})
        assert listed.resource_name == 'a'
        shown = resources.get('s', 'a', with_attr=['value'])
        assert shown.attributes['value'] == 'hi'
        assert resources.metadata('s', 'a') == {'k': 1}
        resources.signal('s', 'a', data={'how': 'loud'})
        assert len(events.list('s')) >= 4
        listed = events.list('s', 'a', sort_dir='asc', limit=1)[0]
        assert events.get('s', 'a', listed.id).resource_status == (
            'CREATE_IN_PROGRESS')
        resources.mark_unhealthy('s', 'a', True, 'worn')
        assert resources.get('s', 'a').resource_status == 'CHECK_FAILED'
        resources.mark_unhealthy('s', 'a', False, 'mended')
        with pytest.raises(heat_exc.HTTPNotFound):
            resources.get('s', 'none')

    def change(self):
        changes = self.stacks.preview_update(
            's', template=TEMPLATE, parameters={'word': 'ho'})
        assert changes['resource_changes']['updated']
        changes = self.stacks.preview_update(
            's', existing=True, parameters={'word': 'hi'}, show_nested=True)
        assert not changes['resource_changes']['updated']
        self.stacks.update('s', template=TEMPLATE,
                           parameters={'word': 'ho'})
        self.wait('UPDATE_COMPLETE')
        made = self.stacks.snapshot('s', name='x')
        self.wait('SNAPSHOT_COMPLETE')
        assert self.stacks.snapshot_show('s', made['id'])['snapshot'][
            'status'] == 'COMPLETE'
        self.stacks.update('s', existing=True, parameters={'word': 'hey'})
        self.wait('UPDATE_COMPLETE')
        self.stacks.restore('s', made['id'])
        self.wait('RESTORE_COMPLETE')
        assert self.stacks.get('s').outputs[0]['output_value'] == 'ho'
        self.stacks.snapshot_delete('s', made['id'])
        # That takes its time, for what a snapshot keeps in the cloud.
        rest.wait_for(lambda: self.stacks.snapshot_list('s') == {
            'snapshots': []}, lambda: self.stacks.snapshot_list('s'))

    def act(self):
        actions = self.heat.actions
        for action in ('check', 'suspend', 'resume'):
            getattr(actions, action)('s')
            self.wait(f'{action.upper()}_COMPLETE')
        for cancel, end in (('cancel_without_rollback', 'UPDATE_FAILED'),
                            ('cancel_update', 'ROLLBACK_COMPLETE')):
            self.stacks.update('s', template=SLOW)
            self.wait('UPDATE_IN_PROGRESS')
            getattr(actions, cancel)('s')
            self.wait(end)
        with pytest.raises(heat_exc.HTTPBadRequest):
            actions.cancel_update('s')

    def software(self):
        configs = self.heat.software_configs
        deployments = self.heat.software_deployments
        config = configs.create(name='c', group='script', config='echo')
        assert configs.get(config.id).config == 'echo'
        assert [each.id for each in configs.list()] == [config.id]
        made = deployments.create(
            config_id=config.id, server_id='srv', action='CREATE',
            status='IN_PROGRESS')
        assert deployments.get(made.id).status == 'IN_PROGRESS'
        deployments.update(made.id, status='COMPLETE',
                           output_values={'deploy_stdout': 'done'})
        [listed] = deployments.list(server_id='srv')
        assert listed.output_values == {'deploy_stdout': 'done'}
        [config_of_server] = deployments.metadata('srv')
        assert config_of_server['id'] == config.id
        deployments.delete(made.id)
        configs.delete(config.id)
        with pytest.raises(heat_exc.HTTPNotFound):
            configs.get(config.id)

    def catalogue(self):
        heat = self.heat
        assert heat.build_info.build_info()['api']['revision']
        assert [each.status for each in heat.services.list()] == ['up']
        types = heat.resource_types
        assert types.list(filters={'name': 'OS::Heat::Val.*'})[
            0].resource_type == 'OS::Heat::Value'
        assert types.get('OS::Heat::Value')['properties']
        made = types.generate_template('OS::Heat::Value', 'hot')
        assert list(made['resources']) == ['Value']
        made = heat.resources.generate_template('OS::Heat::Value')
        assert list(made['Resources']) == ['Value']
        versions = heat.template_versions.list()
        assert len(versions) == 13
        functions = heat.template_versions.get(versions[0].version)
        assert functions
        checked = self.stacks.validate(template=TEMPLATE)
        assert set(checked['Parameters']) == {'word'}
        with pytest.raises(heat_exc.HTTPBadRequest):
            self.stacks.validate(template={})

    def end(self):
        abandoned = self.stacks.abandon('s')
        self.stacks.create(stack_name='t', disable_rollback=True,
                           adopt_stack_data=json.dumps(abandoned))
        self.wait('ADOPT_COMPLETE', 't')
        self.stacks.delete('t')
        rest.wait_for(lambda: not list(self.stacks.list()), 'the end')


def test_python_heatclient(heat):
    called = set()
    story = HeatclientStory(heat, called)
    for part in (story.create, story.look, story.look_inside, story.change,
                 story.act, story.software, story.catalogue, story.end):
        part()
    assert set(METHODS) - called == set()


# -- openstacksdk -----------------------------------------------------------

class SdkStory:
    """What a program does that uses the SDK of all services."""

    def __init__(self, cloud, called):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            self.cloud = openstack.connect(
                load_yaml_config=False, load_envvars=False,
                auth_url=f'{cloud.url}/v3', username=identity.USER,
                password=identity.PASSWORD, project_name='garden',
                user_domain_id='default', project_domain_id='default')
            self.heat = Watched(self.cloud.orchestration, called)

    def wait(self, status):
        self.heat.wait_for_status(
            self.heat.get_stack(self.stack.id), status, interval=0.1,
            wait=rest.PATIENCE, failures=[])

    def create(self, directory):
        file = directory / 't.json'
        file.write_text(json.dumps(TEMPLATE))
        env = directory / 'e.json'
        env.write_text('{"parameters": {"word": "hi"}}')
        files, template = self.heat.get_template_contents(
            template_file=str(file))
        assert template['resources']
        assert not files
        attributes = self.heat.read_env_and_templates(
            template_file=str(file), environment_files=[str(env)])
        preview = self.heat.create_stack(preview=True, name='s',
                                         **attributes)
        assert preview.name == 's'
        self.stack = self.heat.create_stack(name='s', tags='a',
                                            **attributes)
        self.wait('CREATE_COMPLETE')
        with pytest.raises(sdk_exceptions.ConflictException):
            self.heat.create_stack(name='s', template=TEMPLATE)
        with pytest.raises(sdk_exceptions.BadRequestException,
                           match='No::Such'):
            self.heat.create_stack(name='x', template=hot(
                {'a': {'type': 'No::Such'}}))

    def look(self):
        heat, stack = self.heat, self.stack
        assert heat.find_stack('s').id == stack.id
        assert heat.find_stack('none') is None
        assert heat.get_stack(stack.id).outputs[0]['output_value'] == 'hi'
        assert [each.name for each in heat.stacks(status='COMPLETE')] == [
            's']
        assert heat.get_stack_template(stack.id).resources == TEMPLATE[
            'resources']
        assert heat.get_stack_environment(stack.id).parameters == {
            'word': 'hi'}
        assert heat.get_stack_files(stack.id) == {}
        [resource] = heat.resources(stack.id)
        assert resource.resource_type == 'Test::Thing'
        assert len(list(heat.stack_events(stack.id))) == 4
        assert len(list(heat.stack_events(
            heat.get_stack(stack.id), resource_name='a'))) == 2
        assert heat.export_stack(stack.id)['name'] == 's'
        with pytest.raises(sdk_exceptions.NotFoundException):
            heat.get_stack('none')

    def change(self):
        preview = self.heat.update_stack(
            self.stack.id, preview=True, template=TEMPLATE,
            parameters={'word': 'ho'})
        assert preview
        self.heat.update_stack(self.stack.id, template=TEMPLATE,
                               parameters={'word': 'ho'})
        self.wait('UPDATE_COMPLETE')
        for action in ('check', 'suspend', 'resume'):
            getattr(self.heat, f'{action}_stack')(self.stack.id)
            self.wait(f'{action.upper()}_COMPLETE')

    def software(self):
        heat = self.heat
        config = heat.create_software_config(name='c', group='script',
                                             config='echo')
        assert heat.get_software_config(config.id).config == 'echo'
        assert [each.id for each in heat.software_configs()] == [config.id]
        made = heat.create_software_deployment(
            config_id=config.id, server_id='srv', action='CREATE',
            status='IN_PROGRESS')
        heat.update_software_deployment(made.id, status='COMPLETE')
        assert heat.get_software_deployment(made.id).status == 'COMPLETE'
        assert [each.id for each in heat.software_deployments()] == [
            made.id]
        heat.delete_software_deployment(made.id)
        heat.delete_software_config(config.id)
        with pytest.raises(sdk_exceptions.NotFoundException):
            heat.delete_software_config(config.id, ignore_missing=False)

    def end(self):
        checked = self.heat.validate_template(TEMPLATE)
        assert set(checked.parameters) == {'word'}
        with pytest.raises(sdk_exceptions.BadRequestException):
            self.heat.validate_template({'a': 'b'})
        found = self.heat.find_stack('s')
        assert self.heat.abandon_stack(found)['name'] == 's'
        self.heat.wait_for_delete(self.stack, interval=0.1, wait=rest.PATIENCE)
        stack = self.heat.create_stack(name='t', template=TEMPLATE)
        self.heat.delete_stack(stack)
        self.heat.wait_for_delete(stack, interval=0.1, wait=rest.PATIENCE)

    def short_ways(self, directory):
        """Use the calls of the cloud itself, which wait."""
        cloud = self.cloud
        file = str(directory / 't.json')
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            made = cloud.create_stack('w', template_file=file, wait=True,
                                      timeout=rest.PATIENCE)
            assert made.status == 'CREATE_COMPLETE'
            made = cloud.update_stack('w', template_file=file, wait=True,
                                      timeout=rest.PATIENCE, word='ho')
            assert made.status == 'UPDATE_COMPLETE'
            assert made.outputs[0]['output_value'] == 'ho'
            assert [each.name for each in cloud.list_stacks()] == ['w']
            assert cloud.search_stacks('w')[0].name == 'w'
            assert cloud.delete_stack('w', wait=True)
            assert not cloud.delete_stack('w')
            assert cloud.get_stack('w') is None


def test_openstacksdk(heat, tmp_path):
    called = set()
    with identity.Cloud(heat.url,
                        identity.projects('garden')).served() as cloud:
        story = SdkStory(cloud, called)
        story.create(tmp_path)
        story.look()
        story.change()
        story.software()
        story.end()
        story.short_ways(tmp_path)
    assert {name for name in vars(_proxy.Proxy)
            if not name.startswith('_') and callable(
                getattr(_proxy.Proxy, name))} - called == set()
