"""The versions of the cfn language."""
from collections.abc import Mapping
from typing import Any

from heat.engine import parameters as common_parameters
from heat.engine import template_common
from heat.engine.cfn import functions as cfn_funcs
from heat.engine.cfn import parameters
from heat.engine.language import diagnostics


class CfnTemplateBase(template_common.CommonTemplate):
    """What all versions of the cfn language have."""

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
                schemata[name] = common_parameters.Schema.from_dict(
                    name, schema)
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
    SECTIONS = CfnTemplateBase.SECTIONS + (CONDITIONS,)
    SECTIONS_NO_DIRECT_ACCESS = (
        CfnTemplateBase.SECTIONS_NO_DIRECT_ACCESS | {CONDITIONS})

    RES_CONDITION = 'Condition'
    _RESOURCE_KEYS = CfnTemplateBase._RESOURCE_KEYS + (RES_CONDITION,)
    HOT_TO_CFN_RES_ATTRS = {**CfnTemplateBase.HOT_TO_CFN_RES_ATTRS,
                            'condition': RES_CONDITION}

    OUTPUT_CONDITION = 'Condition'
    OUTPUT_KEYS = CfnTemplateBase.OUTPUT_KEYS + (OUTPUT_CONDITION,)

    functions = {**CfnTemplateBase.functions, 'Fn::If': cfn_funcs.If}

    condition_functions = {
        'Fn::Equals': cfn_funcs.Equals,
        'Ref': cfn_funcs.ParamRef,
        'Fn::FindInMap': cfn_funcs.FindInMap,
        'Fn::Not': cfn_funcs.Not,
        'Fn::And': cfn_funcs.And,
        'Fn::Or': cfn_funcs.Or,
    }

    def __init__(self, tmpl: Any, template_id: Any = None,
                 files: Any = None, env: Any = None) -> None:
        # Plugins know the first argument by this name.
        super().__init__(tmpl, template_id=template_id, files=files,
                         env=env)


class HeatTemplate(CfnTemplateBase):
    """HeatTemplateFormatVersion 2012-12-12."""

    functions = dict(CfnTemplateBase.functions)
