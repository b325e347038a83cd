"""The versions of the cfn language."""
from collections.abc import Mapping
import contextlib
from typing import Any

from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine import parameters as common_parameters
from heat.engine import template
from heat.engine import template_common
from heat.engine.cfn import exports
from heat.engine.cfn import functions as cfn_funcs
from heat.engine.cfn import intrinsics
from heat.engine.cfn import loops
from heat.engine.cfn import macros
from heat.engine.cfn import parameters
from heat.engine.cfn import rules
from heat.engine.language import diagnostics

#: What adds Fn::ForEach and some other functions to the language.
LANGUAGE_EXTENSIONS = 'AWS::LanguageExtensions'


class CfnTemplateBase(template_common.CommonTemplate):
    """The parts that all versions of the cfn language share."""

    SECTIONS: tuple[str, ...]
    SECTIONS = (
        VERSION, ALTERNATE_VERSION, DESCRIPTION, MAPPINGS, PARAMETERS,
        RESOURCES, OUTPUTS,
    ) = (
        'AWSTemplateFormatVersion', 'HeatTemplateFormatVersion',
        'Description', 'Mappings', 'Parameters', 'Resources', 'Outputs',
    )

    SECTIONS_NO_DIRECT_ACCESS = frozenset([
        PARAMETERS, VERSION, ALTERNATE_VERSION])

    _RESOURCE_KEYS: tuple[str, ...]
    _RESOURCE_KEYS = (
        RES_TYPE, RES_PROPERTIES, RES_METADATA, RES_DEPENDS_ON,
        RES_DELETION_POLICY, RES_UPDATE_POLICY, RES_DESCRIPTION,
    ) = (
        'Type', 'Properties', 'Metadata', 'DependsOn', 'DeletionPolicy',
        'UpdatePolicy', 'Description',
    )

    OUTPUT_KEYS: tuple[str, ...]
    OUTPUT_KEYS = (
        OUTPUT_DESCRIPTION, OUTPUT_VALUE,
    ) = (
        'Description', 'Value',
    )

    HOT_TO_CFN_RES_ATTRS = {
        'type': RES_TYPE,
        'properties': RES_PROPERTIES,
        'metadata': RES_METADATA,
        'depends_on': RES_DEPENDS_ON,
        'deletion_policy': RES_DELETION_POLICY,
        'update_policy': RES_UPDATE_POLICY,
    }

    functions = {
        'Fn::FindInMap': cfn_funcs.FindInMap,
        'Fn::GetAZs': cfn_funcs.GetAZs,
        'Ref': cfn_funcs.Ref,
        'Fn::GetAtt': cfn_funcs.GetAtt,
        'Fn::Select': cfn_funcs.Select,
        'Fn::Join': cfn_funcs.Join,
        'Fn::Split': cfn_funcs.Split,
        'Fn::Replace': cfn_funcs.Replace,
        'Fn::Base64': cfn_funcs.Base64,
        'Fn::MemberListToMap': cfn_funcs.MemberListToMap,
        'Fn::ResourceFacade': cfn_funcs.ResourceFacade,
    }

    def get_section_name(self, section: str) -> str:
        """Return the name of a section in this language."""
        if section in self.SECTIONS:
            return section
        by_lower_case = {name.lower(): name for name in self.SECTIONS}
        return by_lower_case.get(section, section)

    def param_schemata(self, param_defaults: Mapping[str, Any] | None = None,
                       ) -> dict[str, Any]:
        """Return the Schema of each parameter.

        Raises InvalidSchemaError when some are wrong; its `partial` are
        those that are right.
        """
        defaults = param_defaults or {}
        found = diagnostics.Problems()
        schemata = {}
        for name, schema in self.section(self.PARAMETERS).items():
            if name in defaults and isinstance(schema, Mapping):
                schema = {**schema,
                          common_parameters.DEFAULT: defaults[name]}
            with found.noting():
                schemata[name] = parameters.schema_of(name, schema)
            if found.full:
                break
        if found:
            raise found.error(schemata)
        return schemata

    def parameters(self, stack_identifier: Any, user_params: Any,
                   param_defaults: Any = None) -> Any:
        """Return the Parameters of a stack made from the template."""
        return parameters.CfnParameters(stack_identifier, self,
                                        user_params=user_params,
                                        param_defaults=param_defaults)

    def _resource_from_hot(self, rendered: Mapping[str, Any]) -> Any:
        return {self._key(key): value for key, value in rendered.items()
                if key in self.HOT_TO_CFN_RES_ATTRS or key == 'description'}

    def _key(self, key: str) -> str:
        return self.HOT_TO_CFN_RES_ATTRS.get(key, self.RES_DESCRIPTION)

    def _output_from_hot(self, rendered: Mapping[str, Any]) -> Any:
        return {key.capitalize(): value for key, value in rendered.items()}


class CfnTemplate(CfnTemplateBase):
    """AWSTemplateFormatVersion 2010-09-09, which has conditions."""

    CONDITIONS = 'Conditions'
    METADATA = 'Metadata'
    RULES = 'Rules'
    TRANSFORM = 'Transform'
    SECTIONS = CfnTemplateBase.SECTIONS + (
        CONDITIONS, METADATA, RULES, TRANSFORM)
    SECTIONS_NO_DIRECT_ACCESS = (
        CfnTemplateBase.SECTIONS_NO_DIRECT_ACCESS | {CONDITIONS})

    RES_CONDITION = 'Condition'
    RES_UPDATE_REPLACE_POLICY = 'UpdateReplacePolicy'
    _RESOURCE_KEYS = (
        *CfnTemplateBase._RESOURCE_KEYS,  # noqa: SLF001 (plugin API)
        RES_CONDITION, RES_UPDATE_REPLACE_POLICY)
    HOT_TO_CFN_RES_ATTRS = {
        **CfnTemplateBase.HOT_TO_CFN_RES_ATTRS,
        'condition': RES_CONDITION,
        'update_replace_policy': RES_UPDATE_REPLACE_POLICY}

    OUTPUT_CONDITION = 'Condition'
    OUTPUT_EXPORT = exports.EXPORT
    OUTPUT_KEYS = CfnTemplateBase.OUTPUT_KEYS + (
        OUTPUT_CONDITION, OUTPUT_EXPORT)

    functions = {
        **CfnTemplateBase.functions,
        'Fn::Cidr': intrinsics.Cidr,
        'Fn::FindInMap': intrinsics.FindInMap,
        'Fn::GetAZs': intrinsics.GetAZs,
        'Fn::If': cfn_funcs.If,
        exports.IMPORT: exports.ImportValue,
        'Fn::Length': intrinsics.Length,
        'Fn::Sub': intrinsics.Sub,
        'Fn::ToJsonString': intrinsics.ToJsonString,
        'Ref': intrinsics.Ref,
    }

    condition_functions = {
        'Condition': intrinsics.ConditionRef,
        'Fn::Equals': cfn_funcs.Equals,
        'Ref': intrinsics.ParamRef,
        'Fn::FindInMap': intrinsics.FindInMap,
        'Fn::Length': intrinsics.Length,
        'Fn::Not': cfn_funcs.Not,
        'Fn::And': cfn_funcs.And,
        'Fn::Or': cfn_funcs.Or,
    }

    def __init__(self, tmpl: Any, template_id: Any = None,
                 files: Any = None, env: Any = None) -> None:
        # Plugins know the first argument by this name.
        super().__init__(tmpl, template_id=template_id, files=files,
                         env=env)
        self._source = self._expanded = tmpl
        self._loop_error: exception.HeatException | None = None
        if LANGUAGE_EXTENSIONS in self._transforms():
            self._expand()

    def _expand(self) -> None:
        """Replace the loops; whatever is stored can be looked at and deleted.
        """
        try:
            self.t = self._expanded = self._without_loops()
        except exception.HeatException as exc:
            self._loop_error = exc
        except request_budget.Exceeded as exc:
            self._loop_error = exception.StackValidationFailed(
                message=str(exc))

    @property
    def source(self) -> Any:
        """The data as they were given: with loops."""
        return self._source if self.t is self._expanded else self.t

    def _without_loops(self) -> Any:
        """Return the data with what the loops in them stand for."""
        with_loops = [name for name in (self.CONDITIONS, self.RESOURCES,
                                        self.OUTPUTS)
                      if loops.has_loops(self.t.get(name))]
        if not with_loops:
            return self.t
        scope = _Scope(self)
        # What was stored had been within the budget of its request.
        with (contextlib.nullcontext() if self.id is None
              else request_budget.unlimited()):
            return {**self.t, **{
                name: loops.expanded(self.t[name], (name,), scope.resolve)
                for name in with_loops}}

    # -- Values of other stacks

    def shares_values(self) -> bool:
        return exports.has_any(self)

    def exported_names(self, stack: Any) -> dict[str, str]:
        return exports.exported(self, stack)

    def imported_names(self, stack: Any) -> frozenset[str]:
        return exports.imported(self, stack)

    def has_output(self, stack: Any, name: str) -> bool:
        """Return whether no condition switches an output off."""
        return self._is_enabled(stack, self.OUTPUT_CONDITION,
                                self.section(self.OUTPUTS)[name],
                                [self.OUTPUTS, name])

    def validate(self) -> None:
        with diagnostics.Problems() as found:
            if self._loop_error is not None:
                found.note(self._loop_error)
            with found.noting():
                super().validate()
            for name in self._transforms():
                if name != LANGUAGE_EXTENSIONS:
                    found.note(macros.unavailable(
                        [self.TRANSFORM], name, LANGUAGE_EXTENSIONS))
            for path, name in macros.calls(self.t):
                found.note(macros.unavailable(path, name))
                if found.full:
                    break

    def _transforms(self) -> list[Any]:
        names = self.t.get(self.TRANSFORM) or []
        return list(names) if function.is_list(names) else [names]

    def _check_resource(self, name: Any, data: Any) -> None:
        if loops.is_loop(name) and self.t is self._source:
            if self._loop_error is not None:
                # It says what keeps the loops from being expanded.
                raise self._loop_error
            raise exception.StackValidationFailed(
                path=[self.RESOURCES, name], message=_(
                    'A template with loops needs the line "%(key)s: '
                    '%(value)s".') % {'key': self.TRANSFORM,
                                      'value': LANGUAGE_EXTENSIONS})
        super()._check_resource(name, data)

    def validate_condition_definitions(self, stack: Any) -> None:
        """Check all conditions, also those that nothing uses, and rules."""
        with diagnostics.Problems() as found:
            with found.noting():
                super().validate_condition_definitions(stack)
            with found.noting():
                rules.check(self, self.RULES, stack)


class _Scope:
    """The parameters and mappings that collections of loops may refer to.
    """

    def __init__(self, tmpl: CfnTemplate) -> None:
        self.t = tmpl
        self.parameters = tmpl.parameters(
            None, tmpl.env.params, param_defaults=tmpl.env.param_defaults)

    def resolve(self, snippet: Any, path: list[Any]) -> Any:
        """Return the value of the collection of a loop."""
        call = template.parse(_IN_LOOPS, self, snippet, path, self.t)
        try:
            return function.resolve(call)
        except exception.UserParameterMissing as exc:
            if 'reason' in exc.kwargs:
                raise
            # Nobody has said yet how often the loop is run.
            return []
        except (exception.HeatException, ValueError, TypeError,
                KeyError) as exc:
            raise exception.StackValidationFailed(
                path=path, message=function.error_text(exc)) from exc


_IN_LOOPS = {
    'Fn::FindInMap': intrinsics.FindInMap,
    'Fn::Join': cfn_funcs.Join,
    'Fn::Select': cfn_funcs.Select,
    'Fn::Split': cfn_funcs.Split,
    'Ref': intrinsics.ParamRef,
}


class HeatTemplate(CfnTemplateBase):
    """HeatTemplateFormatVersion 2012-12-12."""

    functions = dict(CfnTemplateBase.functions)
