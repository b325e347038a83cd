"""TLS of connections to the broker, by [oslo_messaging_rabbit]."""
import ssl
from typing import Any

#: Names in the module ssl, by the lower-case values of ssl_version.
_PROTOCOLS = {
    'sslv2': 'PROTOCOL_SSLv2', 'sslv3': 'PROTOCOL_SSLv3',
    'sslv23': 'PROTOCOL_SSLv23', 'tlsv1': 'PROTOCOL_TLSv1',
    'tlsv1_1': 'PROTOCOL_TLSv1_1', 'tlsv1_2': 'PROTOCOL_TLSv1_2'}


def versions() -> list[str]:
    """Return the values of ssl_version that this Python supports."""
    return [name.removeprefix('PROTOCOL_') for name in _PROTOCOLS.values()
            if hasattr(ssl, name)]


def protocol(version: str) -> int | None:
    """Return the protocol that a value of ssl_version names.

    It is None if there is no such protocol.
    """
    return getattr(ssl, _PROTOCOLS.get(version.lower(), ''), None)


def parameters(options: Any) -> bool | dict[str, Any]:
    """Return what oslo.messaging makes of the options.

    Without a file of authorities, the name of the host is not set. A
    version also has the library trust any certificate then.
    """
    if not options.ssl:
        return False
    made: dict[str, Any] = {}
    if options.ssl_version:
        made['ssl_version'] = protocol(options.ssl_version)
    if options.ssl_ca_file:
        made.update(cert_reqs=ssl.CERT_REQUIRED,
                    ca_certs=options.ssl_ca_file, server_hostname=None)
    if options.ssl_cert_file:
        made['certfile'] = options.ssl_cert_file
    if options.ssl_key_file:
        made['keyfile'] = options.ssl_key_file
    return made or True
