"""That the tests see what they are to see: leaks, and who owns what."""
import pytest

from tests.acceptance import leaks


def _net(name):
    return {'heat_template_version': 'wallaby', 'resources': {
        'net': {'type': 'OS::Neutron::Net', 'properties': {'name': name}}}}


def test_what_is_left_behind_is_seen(deployment, project):
    stacks = deployment.stacks(project.session(), project.project_id)
    check = leaks.Check(project)
    path = stacks.create(f'{project.tag}-leak', _net('any'))
    network = stacks.physical_ids(path)['net']
    left, lost = leaks.difference(project, check.before, settling=0)
    assert not lost
    assert [place for place in left if network in place[2]]
    with pytest.raises(AssertionError, match='left behind'):
        check.require_nothing_left(settling=0)
    # Only who has left it is told so.
    check.require_nothing_left(settling=0)
    stacks.delete(path)
    with pytest.raises(AssertionError, match=network):
        check.require_nothing_left(settling=0)
    check.require_nothing_left()


def test_what_others_make_is_not_seen(project):
    check = leaks.Check(project)
    network = project.admin.network.create_network(name='heat-acceptance-x')
    try:
        check.require_nothing_left(settling=0)
    finally:
        project.admin.network.delete_network(network)


def test_a_reader_may_look_but_not_make(deployment, tenant):
    reader = deployment.stacks(tenant.session('reader'), tenant.project_id)
    assert reader.get('/stacks') == {'stacks': []}
    answer = reader.ask('POST', '/stacks', {
        'stack_name': f'{tenant.tag}-reader', 'template': _net('any')})
    assert answer.status_code == 403
