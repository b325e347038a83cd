"""A cloud that services act in, and stacks of its networks."""
import contextlib

from tests.fakes import http_cloud
from tests.fakes import identity_settings
from tests.faults import proxy as proxy_module
from tests.faults import subjects
from tests.integration import templates


class Cloud:
    """An identity service and a network service, each behind a proxy."""

    def __init__(self):
        self.keystone = http_cloud.Keystone()
        self.neutron = http_cloud.Neutron(self.keystone)
        self._served = contextlib.ExitStack()
        self.proxies = {
            kind: proxy_module.Proxy(self._served.enter_context(
                http_cloud.listening(application)))
            for kind, application in (('identity', self.keystone),
                                      ('network', self.neutron))}
        url = f'http://127.0.0.1:{self.proxies["identity"].port}/v3'
        self.keystone.urls.update(
            identity=url,
            network=f'http://127.0.0.1:{self.proxies["network"].port}')
        #: What services need of it in their configuration.
        self.sections = '[paste_deploy]\nflavor =\n' + identity_settings.text(
            url, http_cloud.SERVICE_PASSWORD,
            'memcache_security_strategy = None')
        self.project = http_cloud.PROJECT

    def subject(self, service, name):
        """Return a stack of networks."""
        return Networks(service, name, self)

    def remove(self):
        """Stop serving."""
        for proxy in self.proxies.values():
            proxy.close()
        self._served.close()


class Networks(subjects.Subject):
    """A stack of networks that need each other in layers."""

    def __init__(self, service, name, cloud):
        # The services share the cloud. What the template gives no name gets
        # one that begins with the name of the stack.
        super().__init__(service, f'{service.directory.name}-{name}')
        self._cloud = cloud

    def template(self, fails=False):
        """Return the template of the generation."""
        resources = {}
        for number in range(8):
            resources[f'n{number}'] = {
                'type': 'OS::Neutron::Net',
                'depends_on': [f'n{number - 2}'] if number > 1 else [],
                'properties': {'value_specs': {
                    'description': str(self.generation)}}}
        resources[f'own{self.generation}'] = {
            'type': 'OS::Neutron::Net', 'depends_on': ['n4']}
        if fails:
            resources['bad'] = {
                'type': 'OS::Heat::TestResource', 'depends_on': ['n6'],
                'properties': {'fail': True}}
        return {'heat_template_version': templates.VERSION,
                'resources': resources}

    def things(self):
        """Return the ids of the networks of the stack."""
        return {each['id'] for each in
                list(self._cloud.neutron.networks.values())
                if each['name'].startswith(f'{self.name}-')}

    def members(self):
        """Return names of resources in nested stacks."""
        return []

    @staticmethod
    def is_thing(row):
        """Return whether a resource has something in the cloud."""
        return row['resource_type'] == 'OS::Neutron::Net'

    def doubled(self):
        """Return nothing: what is there twice is an orphan."""
        return {}

    def replaced(self):
        """Return nothing, for the same reason."""
        return ()
