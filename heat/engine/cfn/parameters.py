"""The parameters of cfn templates."""
from collections.abc import Iterator
from typing import Any

from heat.engine import constraints as constr
from heat.engine import parameters


class CfnParameters(parameters.Parameters):
    """Parameters with the pseudo parameters that AWS templates know."""

    PSEUDO_PARAMETERS = (
        PARAM_STACK_ID, PARAM_STACK_NAME, PARAM_REGION,
    ) = (
        'AWS::StackId', 'AWS::StackName', 'AWS::Region',
    )

    #: There is no such region; templates written for AWS want one.
    REGIONS = ('us-east-1', 'us-west-1', 'us-west-2', 'sa-east-1',
               'eu-west-1', 'ap-southeast-1', 'ap-northeast-1')
    DEFAULT_REGION = 'ap-southeast-1'

    def _pseudo_parameters(self, stack_identifier: Any
                           ) -> Iterator[parameters.Parameter]:
        """Yield the id as an ARN, the name and a region."""
        stack_id = name = 'None'
        if stack_identifier is not None:
            stack_id = stack_identifier.arn()
            name = stack_identifier.stack_name
        yield parameters.Parameter(
            self.PARAM_STACK_ID,
            parameters.Schema(parameters.Schema.STRING, 'Stack ID',
                              default=str(stack_id)))
        if name:
            yield parameters.Parameter(
                self.PARAM_STACK_NAME,
                parameters.Schema(parameters.Schema.STRING, 'Stack Name',
                                  default=str(name)))
            yield parameters.Parameter(
                self.PARAM_REGION,
                parameters.Schema(
                    parameters.Schema.STRING, default=self.DEFAULT_REGION,
                    constraints=[constr.AllowedValues(self.REGIONS)]))
