"""Security services of Manila."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class SecurityService(sdk_resource.SDKResource):
    """A security service of Manila.

    It describes the directory service that authenticates the users of
    shares.
    """

    type_name = 'OS::Manila::SecurityService'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'manila'
    entity = 'security_services'
    noun = 'security_service'
    secret_properties = ('password',)

    properties_schema = {
        'name': properties.string(
            _('Name of the security service.'),
            update_allowed=True),
        'type': properties.string(
            _('Type of the security service.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'ldap', 'kerberos', 'active_directory'])]),
        'dns_ip': properties.string(
            _('IP address of the DNS server in the network of the project.'),
            update_allowed=True),
        'server': properties.string(
            _('Host name or IP address of the security service.'),
            update_allowed=True),
        'domain': properties.string(
            _('Domain of the security service.'),
            update_allowed=True),
        'user': properties.string(
            _('User or group of the security service that the shares use.'),
            update_allowed=True),
        'password': properties.string(
            _('Password of the user.'),
            update_allowed=True),
        'description': properties.string(
            _('Description of the security service.'),
            update_allowed=True),
    }
