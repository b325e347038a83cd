"""Every pipeline of all APIs, over an engine that answers by a table."""
import dataclasses
import itertools
import pathlib

from keystoneauth1 import loading
from oslo_config import cfg
import webob

from heat.api.aws import ec2token
from heat.cmd import pipeline
from heat.common import config
from heat.common import policy
from heat.rpc import client as rpc_client
from tests.fakes import engine_answers
from tests.fakes import rpc
from tests.security import identity_service

ROOT = pathlib.Path(__file__).parents[2]
FILES = {
    'shipped': ROOT / 'etc' / 'heat' / 'api-paste.ini',
    'earlier': ROOT / 'tests' / 'fakes' / 'data' / 'earlier-paste.ini',
    'composite': ROOT / 'tests' / 'fakes' / 'data' / 'composite-paste.ini',
}
FLAVORS = (None, 'standalone', 'custombackend', 'noauth')
#: The pipelines that a form of the file does not have.
_MISSING = {'heat-api-cfn-custombackend', 'heat-api-cfn-noauth'}

BY_TOKEN = {'X-Auth-Token': identity_service.TOKEN}
BY_PASSWORD = {'X-Auth-User': identity_service.USER,
               'X-Auth-Key': identity_service.PASSWORD}
SIGNATURE = (f'AWSAccessKeyId={identity_service.ACCESS}&Signature=s'
             '&SignatureVersion=2')

_CONFIG = """\
[paste_deploy]
flavor = {flavor}
api_paste_config = {paste}
[keystone_authtoken]
www_authenticate_uri = {keystone}/v3
auth_url = {keystone}
auth_type = password
username = {user}
user_domain_id = default
password = {password}
project_name = service
project_domain_id = default
[ec2authtoken]
auth_url = {keystone}
"""


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """One pipeline of one paste configuration."""

    form: str
    api: str
    flavor: str | None

    def __str__(self):
        return '-'.join(filter(None, (self.form, self.api, self.flavor)))

    @property
    def is_cfn(self):
        return self.api == 'heat-api-cfn'

    @property
    def is_aws(self):
        return self.is_cfn or self.api == 'heat-api-cloudwatch'

    def proofs(self):
        """Yield (headers, query) of each way to prove who one is."""
        if self.flavor == 'noauth':
            yield {}, f'AWSAccessKeyId={identity_service.PROJECT}'
        elif self.is_aws:
            yield BY_TOKEN, ''
            yield {}, SIGNATURE
        elif self.flavor is None:
            yield BY_TOKEN, ''
            yield {**BY_TOKEN, **BY_PASSWORD}, ''
        else:
            yield BY_PASSWORD, ''
            if self.flavor == 'custombackend':
                yield BY_TOKEN, ''

    def path(self, query=''):
        """Return what a user of the project asks for."""
        if self.is_cfn:
            return '/v1/?Action=ListStacks&' + query
        if self.is_aws:
            return '/?Action=ListMetrics&' + query
        return f'/v1/{identity_service.PROJECT}/stacks'


ALL = [Pipeline(form, api, flavor) for form, api, flavor in
       itertools.product(FILES, ('heat-api', 'heat-api-cfn'), FLAVORS)
       if form == 'shipped' or f'{api}-{flavor}' not in _MISSING]
ALL += [Pipeline('shipped', 'heat-api-cloudwatch', flavor)
        for flavor in FLAVORS]


class Front:
    """An API with one pipeline, in front of a fake engine."""

    def __init__(self, chosen, keystone_url, patch, directory):
        self.engine = rpc.FakeEngineClient(engine_answers.ANSWERS)
        self.engine.answers['authenticated_to_backend'] = True
        patch.setattr(rpc_client, 'EngineClient',
                      lambda is_for_users=False: self.engine)
        path = directory / 'heat.conf'
        path.write_text(_CONFIG.format(
            keystone=keystone_url, flavor=chosen.flavor or '',
            paste=FILES[chosen.form], user=identity_service.SERVICE_USER,
            password=identity_service.TRUSTEE_PASSWORD))
        _configure(path)
        self._application = pipeline.application(chosen.api)

    def ask(self, path, headers, **kwargs):
        """Return the answer, and the contexts that the engine got."""
        del self.engine.calls[:]
        request = webob.Request.blank(path, headers=headers, **kwargs)
        response = request.get_response(self._application)
        return response, [context for _, context, _ in self.engine.calls]


def _configure(path):
    """Read a configuration file that says where Keystone is."""
    cfg.CONF.reset()
    config.register_opts()
    cfg.CONF(['--config-file', str(path)], project='heat')
    policy.reset()


def forget():
    """Leave the process as it was."""
    cfg.CONF.clear()
    cfg.CONF.reset()
    for group in (pipeline.KEYSTONE, ec2token.GROUP):
        # Of these some are required, which other tests do not set.
        cfg.CONF.unregister_opts(
            loading.get_auth_plugin_conf_options('password'), group=group)
    policy.reset()
