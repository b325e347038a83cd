"""What decides about the templates of a corpus can tell good from bad."""
import pytest

from tests.corpus import checks
from tests.corpus import collected

GOOD = """
heat_template_version: 2018-08-31
resources:
  inner:
    type: inner.yaml
    properties: {size: 1}
  server:
    type: OS::Nova::Server
    properties:
      flavor: {get_attr: [inner, name]}
      user_data: {get_file: script.sh}
"""
INNER = """
heat_template_version: 2018-08-31
parameters:
  size: {type: number}
outputs:
  name: {value: {get_param: size}}
"""
CIRCLE = """
heat_template_version: 2018-08-31
resources:
  a: {type: OS::Heat::Value, properties: {value: {get_resource: b}}}
  b: {type: OS::Heat::Value, depends_on: a}
"""


@pytest.fixture
def request_of(tmp_path):
    """A function that writes files and returns the request they make."""
    def write(**texts):
        for name, text in {'script_sh': 'true', 'inner_yaml': INNER,
                           **texts}.items():
            (tmp_path / name.replace('_', '.')).write_text(text)
        return collected.request_of(tmp_path / 'main.yaml')

    with checks.recorded_world():
        yield write


def test_good_template(request_of, tmp_path):
    request = request_of(main_yaml=GOOD)
    assert sorted(request.files) == [
        (tmp_path / name).as_uri() for name in ('inner.yaml', 'script.sh')]
    assert checks.faults_of(request) is None
    assert checks.graph_of(request) == ['inner', 'server']


@pytest.mark.parametrize(('old', 'new', 'named'), [
    ('OS::Nova::Server', 'OS::Nova::Servant', 'OS::Nova::Servant'),
    ('flavor:', 'flavour:', 'flavour'),
    ('{size: 1}', '{sise: 1}', 'sise'),
    ('[inner, name]', '[inner, nam]', '"nam"'),
    ('[inner, name]', '[iner, name]', '"iner"'),
    ('resources:', 'resource:', 'resource.'),
])
def test_bad_template(request_of, old, new, named):
    request = request_of(main_yaml=GOOD.replace(old, new))
    message, _path = checks.faults_of(request)
    assert named in message


def test_circle(request_of):
    request = request_of(main_yaml=CIRCLE)
    checks.check_fault(request, checks.faults_of(request),
                       'CircularDependencyException')


def test_fault_that_is_not_found_is_one(request_of):
    request = request_of(main_yaml=GOOD)
    with pytest.raises(AssertionError, match='in spite of'):
        checks.check_fault(request, checks.faults_of(request), 'HTTP')


def test_other_fault_is_not_the_expected_one(request_of):
    request = request_of(main_yaml=GOOD.replace('flavor:', 'flavour:'))
    fault = checks.faults_of(request)
    for why in ('CircularDependencyException', 'UnknownResourceType'):
        with pytest.raises(AssertionError):
            checks.check_fault(request, fault, why)
    checks.check_fault(request, fault, 'HTTPBadRequest')


@pytest.mark.parametrize(('name', 'accepted'), [
    ('network', True), ('network_id', True), ('network_ids', False)])
def test_old_names_of_properties_count(request_of, name, accepted):
    request = request_of(main_yaml=f"""
heat_template_version: 2018-08-31
resources:
  subnet: {{type: OS::Neutron::Subnet, properties: {{{name}: x}}}}
""")
    fault = checks.faults_of(request)
    assert (fault is None) is accepted
    assert accepted or 'network' in fault[0]
