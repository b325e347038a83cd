"""Regions of the cloud that lead where a test wants them to lead."""
import contextlib
import datetime
import ipaddress
import ssl
from urllib import parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509 import oid

from tests.acceptance import proxy


@contextlib.contextmanager
def region(tenant, suffix, endpoints):
    """Yield the name of a new region.

    :param tenant: whose administrator makes it, and who names it.
    :param endpoints: {(type of the service, interface): URL}
    """
    identity = tenant.admin.identity
    name = f'{tenant.tag}-{suffix}'
    with contextlib.ExitStack() as ending:
        identity.create_region(id=name)
        ending.callback(identity.delete_region, name)
        services = {one.type: one for one in identity.services()}
        for (kind, interface), url in endpoints.items():
            made = identity.create_endpoint(
                service_id=services[kind].id, interface=interface,
                region_id=name, url=url)
            ending.callback(identity.delete_endpoint, made.id)
        yield name


def url_of(tenant, kind):
    """Return the URL of a service in the catalogue as it was registered."""
    identity = tenant.admin.identity
    service = next(one for one in identity.services() if one.type == kind)
    return next(one.url for one in identity.endpoints(
        service_id=service.id, interface='public',
        region_id=tenant.admin.config.region_name))


def proxy_of(tenant, kind, tls=None):
    """Return a proxy of a service, and its URL for the catalogue.

    :param tls: the context of one that is reached by TLS only.
    """
    target = url_of(tenant, kind)
    made = TLSProxy(target, tls) if tls else proxy.Proxy(target)
    return made, parse.unquote(made.url)


class TLSProxy(proxy.Proxy):
    """Hands on what it gets by TLS."""

    def __init__(self, target, context):
        super().__init__(target)
        self.RequestHandlerClass = _Handler
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = self.url.replace('http://', 'https://', 1)


class _Handler(proxy._Handler):
    def _answer(self, status, headers, body):
        there = ('http://' + self.server.target).encode()
        here = ('https://' + self.server.own).encode()
        super()._answer(status, headers, body.replace(there, here))


class Authority:
    """Who signs certificates; they are good for a day.

    :param directory: where the files go.
    :ivar file: the path of its own certificate.
    """

    def __init__(self, directory, name='authority'):
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self.file = self._write(f'{name}.pem', self._signed(
            self._name, self._key, x509.BasicConstraints(True, None)
            ).public_bytes(serialization.Encoding.PEM))

    def _write(self, name, data):
        path = self._directory / name
        path.write_bytes(data)
        return str(path)

    def _signed(self, name, key, *extensions):
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateBuilder(
            issuer_name=self._name, subject_name=name,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - datetime.timedelta(hours=1),
            not_valid_after=now + datetime.timedelta(days=1))
        for each in (*extensions,
                     x509.SubjectKeyIdentifier.from_public_key(
                         key.public_key()),
                     x509.AuthorityKeyIdentifier.from_issuer_public_key(
                         self._key.public_key())):
            builder = builder.add_extension(each, critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def certificate(self, name):
        """Return the paths of a new certificate and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        signed = self._signed(
            _name(name), key, x509.BasicConstraints(False, None),
            x509.SubjectAlternativeName([x509.IPAddress(
                ipaddress.ip_address('127.0.0.1'))]))
        return (
            self._write(f'{name}.pem', signed.public_bytes(
                serialization.Encoding.PEM)),
            self._write(f'{name}.key', key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption())))

    def context(self, *, ask_for_certificate=False):
        """Return what a server needs; it may want to know who asks."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate('server'))
        if ask_for_certificate:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.file)
        return context


def _name(text):
    return x509.Name([x509.NameAttribute(oid.NameOID.COMMON_NAME, text)])
