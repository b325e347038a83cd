"""The local client of users of stacks, with a record of what it did."""
from oslo_config import cfg

from heat.cmd import settings
from heat.engine import clients
from heat.engine.clients.os.keystone import local_keystoneclient


def use(monkeypatch):
    """Have stacks keep their users locally; return the record of calls."""
    clients.plugins()
    for name, value, group in (
            ('keystone_backend', settings.LOCAL_KEYSTONE, None),
            ('url', 'http://heat.test:8004/v1/%(tenant_id)s',
             'clients_heat'),
            ('heat_metadata_server_url', 'http://cfn.test:8000', None),
            ('heat_waitcondition_server_url',
             'http://cfn.test:8000/v1/waitcondition', None)):
        cfg.CONF.set_override(name, value, group)
    calls = []
    for name in ('create_stack_domain_project', 'create_stack_domain_user',
                 'create_stack_domain_user_keypair',
                 'delete_stack_domain_user',
                 'delete_stack_domain_user_keypair',
                 'disable_stack_domain_user', 'enable_stack_domain_user'):
        monkeypatch.setattr(
            local_keystoneclient.LocalKeystoneClient, name,
            _recorded(name, getattr(
                local_keystoneclient.LocalKeystoneClient, name), calls))
    return calls


def forget():
    """Leave the configuration as it was."""
    for name, group in (('keystone_backend', None), ('url', 'clients_heat'),
                        ('heat_metadata_server_url', None),
                        ('heat_waitcondition_server_url', None)):
        cfg.CONF.clear_override(name, group)


def _recorded(name, method, calls):
    def call(self, *args, **kwargs):
        calls.append(name)
        return method(self, *args, **kwargs)
    return call
