import pytest

from heat.objects import software_config
from heat.objects import software_deployment
from heat.objects import stack as stack_objects

Config = software_config.SoftwareConfig
Deployment = software_deployment.SoftwareDeployment


@pytest.fixture
def a_config(context):
    return Config.create(context, {
        'tenant': 'project', 'name': 'c', 'group': 'script',
        'config': {'config': 'echo', 'inputs': []}})


@pytest.fixture
def make_deployment(context, a_config):
    def make(**values):
        return Deployment.create(context, {
            'config_id': a_config.id, 'server_id': 'server',
            'tenant': 'project', 'input_values': {'i': 1}, **values})

    return make


def test_configuration_is_read_back(context, make_context, a_config):
    read = Config.get_by_id(context, a_config.id)
    assert (read.name, read.group, read.config) == (
        'c', 'script', {'config': 'echo', 'inputs': []})
    assert Config.get_by_id(make_context('other'), a_config.id) is None
    assert Config.get_by_id(make_context(None), a_config.id) is None
    assert Config.get_by_id(make_context('other', True), a_config.id)


def test_configurations_are_listed_in_pages(context, make_context, a_config):
    others = [Config.create(context, {'tenant': 'project'})
              for _ in range(4)]
    seen, marker = [], None
    while page := Config.get_all(context, limit=2, marker=marker):
        seen += [one.id for one in page]
        marker = seen[-1]
    assert len(seen) == 5
    assert set(seen) == {a_config.id, *(one.id for one in others)}
    assert Config.get_all(make_context('other')) == []
    assert Config.count_all(context) == 5
    assert Config.count_all(make_context('x', True)) == 5


def test_marker_of_another_project_is_unknown(context, make_context,
                                              a_config):
    foreign = Config.create(make_context('other'), {'tenant': 'other'})
    Config.create(context, {'tenant': 'project'})
    # The newest come first: one of the two stands before it.
    assert len(Config.get_all(context, marker=foreign.id)) == 2


def test_configuration_in_use_is_not_deleted(context, a_config,
                                             make_deployment):
    made = make_deployment()
    assert Config.delete(context, a_config.id) is None
    Deployment.delete(context, made.id)
    assert Config.delete(context, a_config.id) is True
    assert Config.delete(context, a_config.id) is False


def test_deployment_is_read_with_its_configuration(
        context, make_context, a_config, make_deployment, make_stack):
    made = make_deployment(stack_user_project_id='users', status='COMPLETE')
    make_stack(stack_user_project_id='users')
    read = Deployment.get_by_id(context, made.id)
    assert (read.input_values, read.output_values) == ({'i': 1}, None)
    assert read.config.config == a_config.config
    assert read.config.id == a_config.id
    assert Deployment.get_by_id(make_context('users'), made.id)
    assert Deployment.get_by_id(make_context('other'), made.id) is None
    assert Deployment.get_by_id(make_context('other', True), made.id)


def test_deployment_for_the_users_of_a_foreign_stack_is_not_theirs(
        context, make_context, make_deployment, make_stack):
    """What a column says is no proof; databases hold such rows."""
    make_stack(tenant='victim', stack_user_project_id='users')
    made = [make_deployment(stack_user_project_id=project)
            for project in ('users', 'victim')]
    for project in ('users', 'victim'):
        theirs = make_context(project)
        assert Deployment.get_all(theirs) == []
        assert Deployment.get_all(theirs, 'server') == []
        assert [Deployment.get_by_id(theirs, one.id) for one in made] == [
            None, None]
        # Nor does it use up what the project may have.
        assert Deployment.count_all(theirs) == 0
    assert Deployment.get_all_of_server(context, 'victim', 'server') == []
    assert len(Deployment.get_all(context, 'server')) == 2


def test_users_of_a_deleted_stack_see_nothing(
        context, make_context, make_deployment, make_stack):
    stack = make_stack(stack_user_project_id='users')
    made = make_deployment(stack_user_project_id='users')
    assert Deployment.get_by_id(make_context('users'), made.id)
    stack_objects.Stack.delete(context, stack.id)
    assert Deployment.get_by_id(make_context('users'), made.id) is None


def test_deployments_are_listed_by_server(context, make_context,
                                          make_deployment):
    made = [make_deployment(), make_deployment(server_id='other')]
    assert len(Deployment.get_all(context)) == 2
    assert [one.id for one in Deployment.get_all(context, 'other')] == [
        made[1].id]
    assert Deployment.get_all(make_context('elsewhere')) == []
    assert Deployment.count_all(context) == 2
    assert Deployment.count_all(make_context('elsewhere')) == 0


def test_deployment_is_updated(context, make_deployment):
    made = make_deployment()
    assert Deployment.update_by_id(context, made.id, {
        'output_values': {'o': 1}, 'status_reason': 'x' * 70000})
    read = Deployment.get_by_id(context, made.id)
    assert read.output_values == {'o': 1}
    assert len(read.status_reason) == 65535
    assert not Deployment.update_by_id(context, 'x', {'status': 'FAILED'})
    assert Deployment.delete(context, made.id) is True
    assert Deployment.delete(context, made.id) is False
