"""AWS::CloudFormation::WaitConditionHandle: a URL that takes signals."""
from heat.engine import support
from heat.engine.resources import wait_condition


class WaitConditionHandle(wait_condition.BaseWaitConditionHandle):
    """A handle that receives signals for a wait condition.

    A reference to it returns a signed URL of the CloudFormation API. A
    signal is a map with the keys ``Status`` (SUCCESS or FAILURE),
    ``Reason``, ``Data`` and ``UniqueId``. All keys are required.
    """

    support_status = support.SupportStatus(version='2014.1')

    METADATA_KEYS = (
        DATA, REASON, STATUS, UNIQUE_ID,
    ) = (
        'Data', 'Reason', 'Status', 'UniqueId',
    )

    def handle_create(self):
        """Make the URL."""
        super().handle_create()
        self._get_ec2_signed_url()

    def get_reference_id(self):
        """Return the URL once there is one."""
        if self.resource_id is None:
            return self.name
        return self._get_ec2_signed_url() or self.name

    def metadata_update(self, new_metadata=None):
        """Take a signal by the call that earlier releases had for it."""
        if new_metadata is not None:
            self.handle_signal(details=new_metadata)


def resource_mapping():
    """Return the type of this module."""
    return {'AWS::CloudFormation::WaitConditionHandle': WaitConditionHandle}
