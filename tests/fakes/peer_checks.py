"""Tests of what the records say about the recorded database.

They are run wherever a module imports them and provides the rows.
"""
import types

from oslo_config import cfg
import pytest
import sqlalchemy as sa

from heat.common import timeutils
from heat.db import models
from heat.db import session
from heat.objects import event
from heat.objects import raw_template
from heat.objects import raw_template_files
from heat.objects import resource
from heat.objects import resource_data
from heat.objects import resource_properties_data
from heat.objects import resource_snapshot
from heat.objects import service
from heat.objects import snapshot
from heat.objects import software_config
from heat.objects import software_deployment
from heat.objects import stack
from heat.objects import stack_lock
from heat.objects import sync_point
from heat.objects import user_creds
from tests.fakes import peer

CONTEXT = types.SimpleNamespace(project_id='proj0', is_admin=False)
ADMIN = types.SimpleNamespace(project_id='admin', is_admin=True)


@pytest.fixture(autouse=True)
def peer_key():
    cfg.CONF.set_override('auth_encryption_key', peer.KEY)
    yield
    cfg.CONF.clear_override('auth_encryption_key')


def ids(table, column='id'):
    with session.reader(None) as connection:
        return list(connection.execute(sa.select(
            table.c[column])).scalars())


def stack_of(name):
    if '-g-' in name:
        return stack.Stack.get_all(CONTEXT, filters={'name': name},
                                   show_nested=True)[0]
    return stack.Stack.get_by_name(CONTEXT, name)


def test_no_row_is_lost():
    for table in models.METADATA.sorted_tables:
        key = next(iter(table.primary_key)).key
        assert len(ids(table, key)) == len(
            peer.rows().get(table.name, ()))


def test_stacks_are_read():
    assert {one.name for one in stack.Stack.get_all(
        CONTEXT, show_nested=True)} == set(peer.expected())
    for name, answer in peer.expected().items():
        one = stack.Stack.get_by_id(CONTEXT, stack_of(name).id)
        shown = answer['show']
        assert one.id == shown['stack_identity']['stack_id']
        assert timeutils.isotime(one.created_at) == shown['creation_time']
        assert (one.action, one.status, one.status_reason) == (
            shown['stack_action'], shown['stack_status'],
            shown['stack_status_reason'])
        assert stack.Stack.tags_for(CONTEXT, [one.id]).get(
            one.id, []) == (shown['tags'] or [])


def test_graphs_are_read():
    simple = stack.Stack.get_by_id(CONTEXT, stack_of('simple').id)
    assert simple.current_deps == {'edges': [
        [[1, True], None], [[2, True], [3, True]]]}
    legacy = stack.Stack.get_by_id(CONTEXT, stack_of('legacy-done').id)
    assert legacy.current_deps is None
    assert legacy.convergence is False


def test_templates_are_read_and_secrets_are_plain():
    for name, answer in peer.expected().items():
        one = stack.Stack.get_by_id(CONTEXT, stack_of(name).id, eager=True)
        environment = one.raw_template.environment
        for parameter, shown in answer['environment']['parameters'].items():
            value = environment['parameters'][parameter]
            assert isinstance(value, str)
            assert not value.startswith('gAAAA')
            assert shown in (value, '******')
        assert one.raw_template.template == answer['template']
        assert one.raw_template.files == answer['files']
        for key in ('encrypted_param_names', 'parameter_defaults'):
            assert environment[key] == answer['environment'][key]
    for template_id in ids(models.RAW_TEMPLATE):
        assert raw_template.RawTemplate.get_by_id(CONTEXT, template_id)
    for files_id in ids(models.RAW_TEMPLATE_FILES):
        assert raw_template_files.RawTemplateFiles.get_by_id(
            CONTEXT, files_id).files


def test_resources_are_read():
    for name, answer in peer.expected().items():
        one = stack_of(name)
        rows = resource.Resource.get_all_by_stack(CONTEXT, one.id,
                                                  with_data=True)
        shown = {row['resource_name']: row for row in answer['resources']}
        assert set(shown) <= set(rows)
        for key, expected in shown.items():
            row = rows[key]
            assert row.physical_resource_id == (
                expected['physical_resource_id'] or None)
            assert (row.action, row.status, row.status_reason) == (
                expected['resource_action'], expected['resource_status'],
                expected['resource_status_reason'])
            assert (row.rsrc_metadata or {}) == expected['metadata']
            assert isinstance(row.requires, list)


def test_properties_and_data_are_plain():
    rows = resource.Resource.get_all_by_stack(
        CONTEXT, stack_of('simple').id, with_data=True)
    assert rows['a'].properties == {'value': 'a-b'}
    assert rows['a'].attributes == {'value': 'a-b'}
    assert rows['b'].properties == {'length': 8}
    assert len(rows['b'].data['value']) == 8
    assert rows['c'].data == {'value': 'a-b'}
    assert rows['c'].requires == [rows['a'].id]
    for data_id in ids(models.PROPERTIES_DATA):
        stored = resource_properties_data.ResourcePropertiesData.get_by_id(
            CONTEXT, data_id)
        assert isinstance(stored.data, dict)
    for resource_id in ids(models.RESOURCE):
        for value in resource_data.ResourceData.get_all(
                CONTEXT, resource_id).values():
            assert not str(value).startswith('gAAAA')


def test_events_are_read():
    for name, answer in peer.expected().items():
        events = event.Event.get_all_by_stack(CONTEXT, stack_of(name).id)
        assert len(events) == answer['events']
        assert [one.id for one in events] == sorted(
            one.id for one in events)
    first = event.Event.get_all_by_stack(CONTEXT, stack_of('simple').id)[1]
    assert first.resource_properties == {'value': 'a-b'}
    assert (first.resource_name, first.resource_type) == (
        'a', 'OS::Heat::Value')
    assert event.Event.get_all_by_tenant(CONTEXT)


def test_snapshots_are_read():
    one = stack_of('snapshotted')
    taken, = snapshot.Snapshot.get_all_by_stack(CONTEXT, one.id)
    assert (taken.name, taken.action, taken.status) == (
        'before', 'CREATE', 'COMPLETE')
    assert taken.data['name'] == 'snapshotted'
    part, = resource_snapshot.ResourceSnapshot.get_all(CONTEXT, taken.id)
    assert part.resource_name == 'r'
    assert len(part.data['resource_data']['value']) == 32


def test_software_is_read():
    config, = software_config.SoftwareConfig.get_all(CONTEXT)
    config = software_config.SoftwareConfig.get_by_id(CONTEXT, config.id)
    assert config.config['options'] == {'opt': 1}
    deployment, = software_deployment.SoftwareDeployment.get_all(CONTEXT)
    assert deployment.input_values == {'i': '1'}
    assert deployment.output_values is None
    assert deployment.config == config


def test_what_the_killed_engine_left_is_read():
    running = stack_of('running')
    assert stack.Stack.get_ids_in_progress(ADMIN, True) == [running.id]
    points = {point.key: point for point in
              sync_point.SyncPoint.get_all_by_traversal(
                  ADMIN, running.current_traversal)}
    assert len(points) == 4
    assert all(point.pending is None and point.done is False
               for point in points.values())
    merged = points['22', True]
    assert merged.atomic_key == 1
    assert merged.input_data['input_data'][
        "tuple:(23, True, 'resource')"]['name'] == 'done'
    held = resource.Resource.claims(ADMIN)
    assert [stack_id for _id, stack_id, _engine in held] == [running.id]
    legacy = stack_of('legacy-running')
    assert stack.Stack.get_ids_in_progress(ADMIN, False) == [legacy.id]
    engine = stack_lock.StackLock.get_engine_id(ADMIN, legacy.id)
    engines = service.Service.get_all(ADMIN)
    assert engine in {one.engine_id for one in engines}
    assert not any(service.Service.is_alive(
        one, one.updated_at.replace(year=2027)) for one in engines)


def test_credentials_are_plain():
    for creds_id in ids(models.USER_CREDS):
        creds = user_creds.UserCreds.get_by_id(CONTEXT, creds_id)
        assert creds.username == 'alice'
        assert creds.password
        assert not creds.password.startswith('gAAAA')
