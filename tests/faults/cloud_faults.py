"""What befalls the services of the cloud that stacks are made in."""
import threading

from tests.faults import catalogue

_CLOUD = {'databases': ('cloud',)}


@catalogue.fault('Keystone slow', **_CLOUD)
def _keystone_slow(site):
    with site.cloud.proxies['identity'].delaying(1):
        yield


@catalogue.fault('Keystone away', may_fail=True, **_CLOUD)
def _keystone_away(site):
    with site.cloud.proxies['identity'].refusing():
        yield


@catalogue.fault('Keystone silent', may_fail=True, seconds=12, **_CLOUD)
def _keystone_silent(site):
    with site.cloud.proxies['identity'].swallowing():
        yield


@catalogue.fault('trusts revoked', may_fail=True, **_CLOUD)
def _revoked(site):
    with site.cloud.keystone.revoked():
        yield


@catalogue.fault('service answers 500', may_fail=True, **_CLOUD)
def _errors(site):
    site.cloud.neutron.trouble = 500
    yield
    site.cloud.neutron.trouble = None


@catalogue.fault('service answers 503', may_fail=True, **_CLOUD)
def _unavailable(site):
    site.cloud.neutron.trouble = 503
    yield
    site.cloud.neutron.trouble = None


@catalogue.fault('service hangs', may_fail=True, seconds=15, **_CLOUD)
def _hangs(site):
    """Nothing is answered, and nothing of it is done later."""
    over = threading.Event()

    def wait():
        over.wait(60)
        return 504

    site.cloud.neutron.trouble = wait
    yield
    site.cloud.neutron.trouble = None
    over.set()


@catalogue.fault('service refuses', may_fail=True, **_CLOUD)
def _refuses(site):
    with site.cloud.proxies['network'].refusing():
        yield


@catalogue.fault('answers of a service lost', may_fail=True, **_CLOUD)
def _lost(site):
    with site.cloud.proxies['network'].truncating():
        yield
