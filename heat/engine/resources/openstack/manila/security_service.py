"""Security services of Manila."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class SecurityService(sdk_resource.SDKResource):
    """A security service of Manila.

    It describes the directory by which the users of shares authenticate.
    """

    type_name = 'OS::Manila::SecurityService'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'manila'
    entity = 'security_services'
    noun = 'security_service'
    secret_properties = ('password',)

    properties_schema = {
        'name': properties.string(
            _('The name of the security service.'),
            update_allowed=True),
        'type': properties.string(
            _('The type of the security service.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'ldap', 'kerberos', 'active_directory'])]),
        'dns_ip': properties.string(
            _('The address of the DNS server of the network of the '
              'project.'),
            update_allowed=True),
        'server': properties.string(
            _('The host name or address of the security service.'),
            update_allowed=True),
        'domain': properties.string(
            _('The domain of the security service.'),
            update_allowed=True),
        'user': properties.string(
            _('The user or group by which shares are managed.'),
            update_allowed=True),
        'password': properties.string(
            _('The password of the user.'),
            update_allowed=True),
        'description': properties.string(
            _('Description of the security service.'),
            update_allowed=True),
    }
