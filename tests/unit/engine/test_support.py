import pytest

from heat.engine import support
from heat.engine.language import suggest


def test_history():
    status = support.SupportStatus(
        status=support.HIDDEN, version='5.0.0', message='Use y.',
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version='2014.2'))
    assert status.to_dict() == {
        'status': 'HIDDEN', 'version': '5.0.0', 'message': 'Use y.',
        'previous_status': {
            'status': 'DEPRECATED', 'version': '2014.2', 'message': None,
            'previous_status': None}}


def test_default_is_supported():
    assert support.SupportStatus().to_dict() == {
        'status': 'SUPPORTED', 'version': None, 'message': None,
        'previous_status': None}


def test_unknown_word():
    status = support.SupportStatus(status='GOOD', version='1')
    assert status.status == support.UNKNOWN
    assert status.version is None
    assert 'GOOD' in status.message
    assert not support.is_valid_status('GOOD')
    assert support.is_valid_status('DEPRECATED')


def test_previous_status_is_a_status():
    with pytest.raises(ValueError, match='previous_status'):
        support.SupportStatus(previous_status='DEPRECATED')


def test_substitution():
    class Old:
        pass

    class New:
        pass

    status = support.SupportStatus(substitute_class=New)
    assert status.is_substituted(New)
    assert not status.is_substituted(Old)
    assert not support.SupportStatus().is_substituted(New)


@pytest.mark.parametrize(('name', 'found'), [
    ('flavour', 'flavor'), ('FLAVOR', 'flavor'), ('imgae', 'image'),
    ('key', None), ('', None), (5, None), ('f' * 300, None)])
def test_suggestion(name, found):
    names = ['flavor', 'image', 'key_name']
    assert suggest.nearest(name, names) == found
    assert suggest.hint(name, names) == (
        ' Did you mean "%s"?' % found if found else '')


def test_suggestion_among_nothing():
    assert suggest.nearest('a', []) is None
