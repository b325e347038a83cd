"""Short ids, passwords, DNS names and networks."""
import pathlib
import re
import string
import uuid

import pytest

from heat.common import netutils
from heat.common import password_gen
from heat.common import short_id

DUMP = (pathlib.Path(__file__).parents[2] / 'facts' /
        'peer_database.sql').read_text()
PEER_NAMES = re.findall(
    r"INSERT INTO `resource` VALUES \(\d+,'([0-9a-f-]{36})',"
    r"'[\w-]*-([a-z2-7]{12})'", DUMP)


@pytest.mark.parametrize(('source', 'expected'), PEER_NAMES)
def test_short_id_of_a_uuid_is_the_peers(source, expected):
    assert short_id.get_id(source) == expected
    assert short_id.get_id(uuid.UUID(source)) == expected


def test_random_short_ids():
    ids = {short_id.generate_id() for _index in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch('[a-z2-7]{12}', each) for each in ids)


def test_short_id_wants_a_random_uuid():
    with pytest.raises(ValueError, match='version 4'):
        short_id.get_id(uuid.uuid1())


def test_password_has_what_is_asked_for():
    for _index in range(20):
        password = password_gen.generate_password(8, [
            password_gen.named_char_class(password_gen.DIGITS, 3),
            password_gen.special_char_class('#', 1),
            password_gen.named_char_class(password_gen.LOWERCASE, 2)])
        assert len(password) == 8
        assert sum(each in string.digits for each in password) >= 3
        assert '#' in password
        assert sum(each in string.ascii_lowercase for each in password) >= 2


@pytest.mark.parametrize('name', password_gen.CHARACTER_CLASSES)
def test_every_class_has_characters(name):
    password = password_gen.generate_password(
        50, [password_gen.named_char_class(name)])
    assert len(password) == 50
    assert password.isalnum()


def test_password_too_short_for_its_classes():
    with pytest.raises(ValueError, match='too short'):
        password_gen.generate_password(
            2, [password_gen.named_char_class(password_gen.DIGITS, 3)])


def test_unknown_character_class_is_refused():
    with pytest.raises(ValueError, match='runes.*lettersdigits'):
        password_gen.named_char_class('runes')


def test_openstack_password():
    password = password_gen.generate_openstack_password()
    assert len(password) == 32
    assert any(each in string.ascii_uppercase for each in password)
    assert any(each in string.digits for each in password)
    assert any(each in '!@#%^&*' for each in password)


@pytest.mark.parametrize('name', [
    '', 'a', 'a.b', 'example.com.', 'a-b.c1', '1.example.com', 'x' * 63])
def test_dns_names(name):
    assert netutils.validate_dns_format(name) is None


@pytest.mark.parametrize(('name', 'message'), [
    ('-a', 'hyphens'), ('a..b', 'empty'), ('a_b', 'letters'),
    ('x' * 64, '63'), ('.'.join(['x' * 60] * 5), '255'),
    ('example.1.', 'top level')])
def test_what_is_no_dns_name(name, message):
    with pytest.raises(ValueError, match=message):
        netutils.validate_dns_format(name)


def test_prefix_subset():
    assert netutils.is_prefix_subset(['10.0.1.0/24'], ['10.0.0.0/16'])
    assert not netutils.is_prefix_subset(['10.1.0.0/24'], ['10.0.0.0/16'])
