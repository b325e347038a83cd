"""The sections of a configuration that name an identity service."""

_PASSWORD = """\
auth_type = password
auth_url = {url}
username = heat
password = {password}
user_domain_id = default
"""


def text(url, password, *authtoken):
    """Return the sections of a service whose account is called heat.

    :param authtoken: further lines of [keystone_authtoken]
    """
    account = _PASSWORD.format(url=url, password=password)
    return '\n'.join((
        '[keystone_authtoken]', account + f'www_authenticate_uri = {url}',
        'project_name = service', 'project_domain_id = default', *authtoken,
        '[trustee]', account))
