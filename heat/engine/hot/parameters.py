"""The parameters of HOT templates."""
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints as constr
from heat.engine import parameters
from heat.engine.language import diagnostics

PARAM_CONSTRAINTS = (
    DESCRIPTION, LENGTH, RANGE, MODULO, ALLOWED_VALUES, ALLOWED_PATTERN,
    CUSTOM_CONSTRAINT,
) = (
    'description', 'length', 'range', 'modulo', 'allowed_values',
    'allowed_pattern', 'custom_constraint',
)

RANGE_KEYS = (MIN, MAX) = ('min', 'max')

MODULO_KEYS = (STEP, OFFSET) = ('step', 'offset')


class HOTParamSchema(parameters.Schema):
    """The schema of a parameter of a HOT template."""

    KEYS = (  # type: ignore[assignment]
        TYPE, DESCRIPTION, DEFAULT, SCHEMA, CONSTRAINTS, HIDDEN, LABEL,
        IMMUTABLE,
    ) = (
        'type', 'description', 'default', 'schema', 'constraints', 'hidden',
        'label', 'immutable',
    )

    # For Parameters the type names are the same in every language version.
    TYPES = (  # type: ignore[assignment]
        STRING, NUMBER, LIST, MAP, BOOLEAN,
    ) = (
        'string', 'number', 'comma_delimited_list', 'json', 'boolean',
    )

    PARAMETER_KEYS: tuple[str, ...] = KEYS

    SECTION = 'parameters'

    #: The constraints this version of the language has.
    CONSTRAINT_KEYS: tuple[str, ...] = (
        LENGTH, RANGE, ALLOWED_VALUES, ALLOWED_PATTERN, CUSTOM_CONSTRAINT)

    @classmethod
    def _from_checked_dict(cls, param_name: str,
                           schema_dict: Mapping[str, Any]
                           ) -> 'HOTParamSchema':
        constraints = schema_dict.get(cls.CONSTRAINTS)
        if constraints is None:
            constraints = []
        if not isinstance(constraints, (list, tuple)):
            raise exception.InvalidSchemaError(
                path=[cls.CONSTRAINTS],
                message=_('constraints must be a list'))
        tags = schema_dict.get(cls.TAGS)
        if tags is not None and not isinstance(tags, (list, tuple)):
            raise exception.InvalidSchemaError(
                path=[cls.TAGS], message=_('tags must be a list'))
        return cls(schema_dict[cls.TYPE],
                   description=schema_dict.get(cls.DESCRIPTION),
                   default=schema_dict.get(cls.DEFAULT),
                   constraints=list(cls._parsed_constraints(constraints)),
                   hidden=schema_dict.get(cls.HIDDEN, False),
                   label=schema_dict.get(cls.LABEL),
                   immutable=schema_dict.get(cls.IMMUTABLE, False),
                   tags=tags)

    @classmethod
    def _parsed_constraints(cls, constraints: Sequence[Any]
                            ) -> Iterator[constr.Constraint]:
        with diagnostics.Problems() as found:
            for index, constraint in enumerate(constraints):
                with found.noting(), cls._below(cls.CONSTRAINTS, index):
                    yield cls._constraint_in(constraint)
                if found.full:
                    break

    @classmethod
    def _constraint_in(cls, constraint: Any) -> constr.Constraint:
        cls._check_dict(constraint, (DESCRIPTION, *cls.CONSTRAINT_KEYS),
                        _('a constraint'))
        names = [key for key in constraint if key != DESCRIPTION]
        if len(names) != 1:
            raise exception.InvalidSchemaError(
                message=_('Each constraint has one of the keys %(known)s, '
                          'this one has: %(keys)s') % {
                              'known': ', '.join(cls.CONSTRAINT_KEYS),
                              'keys': ', '.join(map(str, names)) or '-'})
        name = names[0]
        # Each kind has its method below.
        make = getattr(cls, '_' + name)
        with cls._below(name):
            return make(constraint[name], constraint.get(DESCRIPTION))

    @classmethod
    def _bounds(cls, value: Any, entity: str) -> tuple[Any, Any]:
        cls._check_dict(value, RANGE_KEYS, entity)
        return cls.get_num(MIN, value), cls.get_num(MAX, value)

    @classmethod
    def _length(cls, value: Any, description: Any) -> constr.Constraint:
        low, high = cls._bounds(value, _('a length constraint'))
        return constr.Length(low, high, description)

    @classmethod
    def _range(cls, value: Any, description: Any) -> constr.Constraint:
        low, high = cls._bounds(value, _('a range constraint'))
        return constr.Range(low, high, description)

    @classmethod
    def _modulo(cls, value: Any, description: Any) -> constr.Constraint:
        cls._check_dict(value, MODULO_KEYS, _('a modulo constraint'))
        return constr.Modulo(cls.get_num(STEP, value),
                             cls.get_num(OFFSET, value), description)

    @classmethod
    def _allowed_values(cls, value: Any, description: Any
                        ) -> constr.Constraint:
        return constr.AllowedValues(value, description)

    @classmethod
    def _allowed_pattern(cls, value: Any, description: Any
                         ) -> constr.Constraint:
        return constr.AllowedPattern(value, description)

    @classmethod
    def _custom_constraint(cls, value: Any, description: Any
                           ) -> constr.Constraint:
        return constr.CustomConstraint(value, description)


class HOTParamSchema20170224(HOTParamSchema):
    """Adds the constraint modulo."""

    CONSTRAINT_KEYS = (
        LENGTH, RANGE, MODULO, ALLOWED_VALUES, ALLOWED_PATTERN,
        CUSTOM_CONSTRAINT)


class HOTParamSchema20180302(HOTParamSchema20170224):
    """Adds tags."""

    KEYS_20180302 = (TAGS,) = ('tags',)

    KEYS = (
        *HOTParamSchema20170224.KEYS,  # type: ignore[assignment]
        *KEYS_20180302)

    PARAMETER_KEYS: tuple[str, ...] = KEYS


class HOTParameters(parameters.Parameters):
    """Parameters with the pseudo parameters of HOT.

    OS::region is a reserved name that never has a value.
    """

    PSEUDO_PARAMETERS = (
        PARAM_STACK_ID, PARAM_STACK_NAME, PARAM_REGION, PARAM_PROJECT_ID,
    ) = (
        'OS::stack_id', 'OS::stack_name', 'OS::region', 'OS::project_id',
    )

    def _stack_id_text(self, stack_identifier: Any) -> str:
        return str(stack_identifier.stack_id)

    def _pseudo_parameters(self, stack_identifier: Any
                           ) -> Iterator[parameters.Parameter]:
        """Yield the stack's id and name and the project's id."""
        stack_id = getattr(stack_identifier, 'stack_id', None)
        name = getattr(stack_identifier, 'stack_name', None)
        project = getattr(stack_identifier, 'tenant', None)
        for param_name, description, value in (
                (self.PARAM_STACK_ID, 'Stack ID', stack_id),
                (self.PARAM_PROJECT_ID, 'Project ID', project),
                (self.PARAM_STACK_NAME, 'Stack Name', name)):
            yield parameters.Parameter(
                param_name,
                parameters.Schema(parameters.Schema.STRING, description,
                                  default=str(value)))
