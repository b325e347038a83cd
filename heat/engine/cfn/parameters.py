"""The parameters of cfn templates."""
from collections.abc import Iterator, Mapping
import re
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints as constr
from heat.engine import parameters

#: What the value of a parameter of a type must name.
_CONSTRAINTS = {
    'AWS::EC2::Image::Id': 'glance.image',
    'AWS::EC2::Instance::Id': 'nova.server',
    'AWS::EC2::KeyPair::KeyName': 'nova.keypair',
    'AWS::EC2::SecurityGroup::GroupName': 'neutron.security_group',
    'AWS::EC2::SecurityGroup::Id': 'neutron.security_group',
    'AWS::EC2::Subnet::Id': 'neutron.subnet',
    'AWS::EC2::VPC::Id': 'neutron.network',
    'AWS::EC2::Volume::Id': 'cinder.volume',
}
#: Types whose values are any text here.
_TEXTS = frozenset(('AWS::EC2::AvailabilityZone::Name',
                    'AWS::Route53::HostedZone::Id'))
_NUMBERS = 'List<Number>'
_LIST = re.compile('List<(?P<type>.*)>')


def schema_of(name: str, definition: Any) -> parameters.Schema:
    """Return the Schema of a parameter as a cfn template defines it.

    Types of AWS that name something stand for a text, with a constraint
    where this cloud has such a thing; lists of them, of texts and of
    numbers stand for a CommaDelimitedList.

    :raises InvalidSchemaError: the definition is malformed
    """
    given = (definition.get(parameters.TYPE)
             if isinstance(definition, Mapping) else None)
    if not isinstance(given, str) or given in parameters.Schema.TYPES:
        return parameters.Schema.from_dict(name, definition)
    if given.startswith('AWS::SSM::'):
        raise exception.InvalidSchemaError(
            path=[parameters.Schema.SECTION, name, parameters.TYPE],
            message=_('There is no parameter store of AWS here, which the '
                      'type "%s" reads. Use the type String and pass the '
                      'value.') % given)
    known = _standard_type(given)
    if known is None:
        return parameters.Schema.from_dict(name, definition)
    schema = parameters.Schema.from_dict(
        name, {**definition, parameters.TYPE: known})
    if given in _CONSTRAINTS:
        schema.constraints.append(
            constr.CustomConstraint(_CONSTRAINTS[given]))
    elif given == _NUMBERS:
        schema.constraints.append(_Numbers())
    return schema


def _standard_type(given: str) -> str | None:
    if given in _CONSTRAINTS or given in _TEXTS:
        return parameters.Schema.STRING
    within = _LIST.fullmatch(given)
    if within and (within['type'] in ('String', 'Number')
                   or within['type'] in _TEXTS
                   or within['type'] in _CONSTRAINTS):
        return parameters.Schema.LIST
    return None


class _Numbers(constr.Constraint):
    """Each item of a list must be a number."""

    valid_types = (constr.Schema.LIST_TYPE,)

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        return not self._others(value)

    @staticmethod
    def _others(value: Any) -> list[str]:
        """Return the items that are no numbers; a default may be a text."""
        def is_number(item: Any) -> bool:
            try:
                constr.Schema.str_to_num(item)
            except ValueError:
                return False
            return True

        items = value.split(',') if isinstance(value, str) else value
        return [str(item) for item in items if not is_number(item)]

    def _err_msg(self, value: Any) -> str:
        return _('"%s" is not a number') % self._others(value)[0]

    def _str(self) -> str:
        return _('The items must be numbers')

    def _constraint(self) -> bool:
        return True


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
