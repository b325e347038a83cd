"""Encryption of secrets in the database.

What is written today is Fernet; two older forms can be read.
"""
import base64

from cryptography import fernet
from cryptography.hazmat.decrepit.ciphers import modes as old_modes
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers import modes
from oslo_config import cfg
from oslo_serialization import jsonutils

from heat.common import exception
from heat.common import opts_auth
from heat.common.i18n import _

WRITE_METHOD = 'cryptography_decrypt_v1'

_KEY_LENGTH = 32
_BLOCK = 16


def _key(encryption_key=None):
    """Return the bytes of the key given, or of the configured one.

    There are 32, or as many as a short key has.
    """
    if encryption_key is None:
        encryption_key = cfg.CONF.auth_encryption_key
    key = encryption_key.encode('utf-8')
    if len(key) < _KEY_LENGTH and len(key) not in opts_auth.SHORT_KEYS:
        raise exception.Error(
            _('The encryption key has %(length)s characters, but needs '
              '%(needed)s.') % {'length': len(key), 'needed': _KEY_LENGTH})
    return key[:_KEY_LENGTH]


def _fernet(key):
    """Return the Fernet of a key; a short key is repeated to 32 bytes."""
    return fernet.Fernet(base64.urlsafe_b64encode((key * 2)[:_KEY_LENGTH]))


def encrypt(value, encryption_key=None):
    """Return (method, text) for a text; None for None.

    The method says how decrypt() has to read the text.
    """
    if value is None:
        return None, None
    text = _fernet(_key(encryption_key)).encrypt(value.encode('utf-8'))
    return WRITE_METHOD, text.decode('ascii')


def decrypt(method, data, encryption_key=None):
    """Return the text that was encrypted; None for None.

    Raises InvalidEncryptionKey if the key is another one.
    """
    if method is None or data is None:
        return None
    reader = _READERS.get(method)
    if reader is None:
        raise exception.Error(
            _('Stored data is encrypted by an unknown method "%s".')
            % method)
    try:
        return reader(_key(encryption_key), data).decode('utf-8')
    except (fernet.InvalidToken, ValueError) as exc:
        raise exception.InvalidEncryptionKey() from exc


def _read_fernet(key, data):
    return _fernet(key).decrypt(data.encode('ascii'))


def _open(key, mode, data):
    raw = base64.b64decode(data)
    decryptor = Cipher(algorithms.AES(key), mode(raw[:_BLOCK])).decryptor()
    return decryptor.update(raw[_BLOCK:]) + decryptor.finalize()


def _read_cbc(key, data):
    """Read AES-CBC; the last byte counts the filling in front of it."""
    padded = _open(key, modes.CBC, data)
    if not padded:
        raise ValueError('empty')
    return padded[:-1 - padded[-1]]


def _read_cfb(key, data):
    """Read AES-CFB with segments of a byte."""
    return _open(key, old_modes.CFB8, data)


_READERS = {
    WRITE_METHOD: _read_fernet,
    'oslo_decrypt_v1': _read_cbc,
    'heat_decrypt': _read_cfb,
}


#: Marks a document that is ciphertext as a whole.
_SEALED = 'encrypted'


def sealed(data, encryption_key=None):
    """Return a mapping that holds plain values as ciphertext."""
    if data is None:
        return None
    return {_SEALED: list(encrypt(jsonutils.dumps(data), encryption_key))}


def is_sealed(data):
    """Return whether stored data are what sealed() returns."""
    return isinstance(data, dict) and list(data) == [_SEALED]


def unsealed(data, encryption_key=None):
    """Return what sealed() was given; what is not sealed, as it is."""
    if not is_sealed(data):
        return data
    method, text = data[_SEALED]
    return jsonutils.loads(decrypt(method, text, encryption_key))


def encrypted_dict(data, encryption_key=None):
    """Return {name: [method, text]} for a mapping of plain values."""
    if data is None:
        return None
    return {name: list(encrypt(jsonutils.dumps(value), encryption_key))
            for name, value in data.items()}


def decrypted_dict(data, encryption_key=None):
    """Return the mapping that encrypted_dict() was given."""
    if data is None:
        return None
    return {name: jsonutils.loads(decrypt(method, text, encryption_key))
            for name, (method, text) in data.items()}
