from oslo_serialization import jsonutils
import pytest

from heat.engine import node_data


def make(attributes=None, **values):
    return node_data.NodeData(
        7, 'server', 'uuid-7', 'ref', {} if attributes is None
        else attributes, values.get('action', 'CREATE'),
        values.get('status', 'COMPLETE'))


def test_survives_json():
    data = make({'name': 'web', ('addresses', 'net', 0): {'ip': '::1'}})
    stored = jsonutils.loads(jsonutils.dumps(data.as_dict()))
    assert node_data.NodeData.from_dict(stored) == data


def test_stored_form():
    assert make({'a': 1, ('b', 'c'): 2}).as_dict() == {
        'id': 7, 'name': 'server', 'uuid': 'uuid-7', 'reference_id': 'ref',
        'attrs': {'a': 1, "tuple:('b', 'c')": 2},
        'action': 'CREATE', 'status': 'COMPLETE'}


def test_reads_form_with_tuple_keys():
    data = node_data.NodeData.from_dict({
        'id': 1, 'name': 'r', 'reference_id': None, 'uuid': 'u',
        'attrs': {('a', 'b'): 3}, 'action': 'INIT', 'status': 'COMPLETE'})
    assert data.attribute(('a', 'b')) == 3


@pytest.mark.parametrize('nothing', [None, {}])
def test_reads_nothing(nothing):
    assert node_data.NodeData.from_dict(nothing) is None


def test_attributes():
    data = make({'a': 1, ('b', 'c'): 2, ('b', 'd'): 3})
    assert data.attributes() == {'a': 1}
    assert list(data.attribute_names()) == ['a', 'b']
    assert data.has_attribute(('b', 'c'))
    assert not data.has_attribute('b')
    with pytest.raises(KeyError):
        data.attribute('b')


def test_stored_exception_is_raised():
    data = make({'a': ValueError('gone')})
    assert list(data.attribute_names()) == ['a']
    for read in (lambda: data.attribute('a'), data.attributes,
                 data.as_dict):
        with pytest.raises(ValueError, match='gone'):
            read()


def test_equality():
    assert make({'a': 1}) == make({'a': 1})
    assert make({'a': 1}) != make({'a': 2})
    assert make(status='FAILED') != make()
    assert make() != 'server'
