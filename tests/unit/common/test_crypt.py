"""Encryption: today's form, older forms, the peer's database."""
import base64
import os
import pathlib
import re

from cryptography import fernet
from cryptography.hazmat.decrepit.ciphers import modes as old_modes
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers import modes
import pytest

from heat.common import crypt
from heat.common import exception

KEY = '0123456789abcdef0123456789abcdef'
OTHER = 'fedcba9876543210fedcba9876543210'
DUMP = (pathlib.Path(__file__).parents[2] / 'facts' /
        'peer_database.sql').read_text()


@pytest.mark.parametrize('key', [None, KEY])
@pytest.mark.parametrize('value', ['', 'secret', 'ünïcode', 'x' * 10000])
def test_round_trip(key, value):
    method, text = crypt.encrypt(value, key)
    assert method == 'cryptography_decrypt_v1'
    assert value not in text or not value
    assert crypt.decrypt(method, text, key) == value


def test_none_stays_none():
    assert crypt.encrypt(None) == (None, None)
    assert crypt.decrypt(None, None) is None
    assert crypt.decrypt('heat_decrypt', None) is None
    assert crypt.encrypted_dict(None) is None
    assert crypt.decrypted_dict(None) is None


def test_mapping_round_trip():
    data = {'a': 'text', 'b': [1, {'c': None}], 'd': 1.5}
    secret = crypt.encrypted_dict(data, KEY)
    assert set(secret) == set(data)
    assert all(method == crypt.WRITE_METHOD for method, _ in secret.values())
    assert crypt.decrypted_dict(secret, KEY) == data


def test_secrets_of_the_peer_are_read():
    secrets = re.findall(r'gAAAA[\w=-]+', DUMP)
    texts = [crypt.decrypt('cryptography_decrypt_v1', each, KEY)
             for each in secrets]
    assert len(texts) == 69
    assert 'hunter2' in texts


def test_properties_of_the_peer_are_read():
    found = re.search(r'\{\\"value\\": (\[\\"crypto[^]]*\])', DUMP)
    method, text = found[1].replace('\\"', '"').strip('[]"').split('", "')
    assert crypt.decrypted_dict({'value': [method, text]}, KEY) == {
        'value': 'a-b'}


def pad(data):
    filling = 16 - len(data) % 16 - 1
    return data + b'\0' * filling + bytes([filling])


@pytest.mark.parametrize('key', [KEY, KEY[:24], KEY[:16]])
@pytest.mark.parametrize('value', ['s', 'exactly fifteen', 'sixteen letters!',
                                   'much longer than one block of AES is'])
def test_older_forms_are_read(value, key):
    vector = os.urandom(16)
    cbc = Cipher(algorithms.AES(key.encode()), modes.CBC(vector)).encryptor()
    text = base64.b64encode(vector + cbc.update(pad(value.encode())) +
                            cbc.finalize()).decode()
    assert crypt.decrypt('oslo_decrypt_v1', text, key) == value
    cfb = Cipher(algorithms.AES(key.encode()),
                 old_modes.CFB8(vector)).encryptor()
    text = base64.b64encode(vector + cfb.update(value.encode()) +
                            cfb.finalize()).decode()
    assert crypt.decrypt('heat_decrypt', text, key) == value


def test_another_key_is_noticed():
    method, text = crypt.encrypt('secret', KEY)
    with pytest.raises(exception.InvalidEncryptionKey):
        crypt.decrypt(method, text, OTHER)


def test_damaged_data_is_noticed():
    with pytest.raises(exception.InvalidEncryptionKey):
        crypt.decrypt('oslo_decrypt_v1', 'AAAA', KEY)


def test_unknown_method_is_named():
    with pytest.raises(exception.Error, match='rot13'):
        crypt.decrypt('rot13', 'x', KEY)


def test_short_key_is_refused():
    with pytest.raises(exception.Error, match='needs 32'):
        crypt.encrypt('x', 'short')


@pytest.mark.parametrize('length', [16, 24])
def test_short_key_of_an_old_cloud_is_repeated(length):
    method, text = crypt.encrypt('secret', KEY[:length])
    box = fernet.Fernet(base64.urlsafe_b64encode(
        (KEY[:length] * 2)[:32].encode()))
    assert box.decrypt(text.encode()) == b'secret'
    assert crypt.decrypt(method, text, KEY[:length]) == 'secret'


def test_longer_key_counts_by_its_beginning():
    method, text = crypt.encrypt('secret', KEY + 'more')
    assert crypt.decrypt(method, text, KEY) == 'secret'
