"""OS::Heat::CloudConfig: a config for cloud-init."""
import yaml

from heat.common import template_format
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.heat import software_config
from heat.engine.software import configs as software_configs


class CloudConfig(software_config.SoftwareConfig):
    """A software config with the cloud-config of cloud-init.

    The map is stored as a YAML document that cloud-init reads as the
    user data of a server or as a part of it.
    """

    support_status = support.SupportStatus(version='2014.1')

    PROPERTIES = (
        CLOUD_CONFIG,
    ) = (
        'cloud_config',
    )

    properties_schema = {
        CLOUD_CONFIG: properties.Schema(
            properties.Schema.MAP,
            _('Settings in the cloud-config format of cloud-init.')),
    }

    def handle_create(self):
        """Store the settings as a YAML document."""
        document = yaml.dump(
            self.properties[self.CLOUD_CONFIG] or {},
            Dumper=template_format.yaml_dumper, allow_unicode=True,
            default_flow_style=False)
        self._store(group=software_configs.UNGROUPED,
                    config='#cloud-config\n' + document)


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::CloudConfig': CloudConfig}
