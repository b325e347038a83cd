"""The versions of the HOT language.

Each class says what its version adds to and takes from the one before.
"""
import collections
from collections.abc import Mapping
from typing import Any

from heat.common import request_budget
from heat.engine import template_common
from heat.engine.cfn import functions as cfn_funcs
from heat.engine.hot import functions as hot_funcs
from heat.engine.hot import parameters
from heat.engine.language import diagnostics

#: (section of parameters, class, schemata) of templates that were used last:
#: the members of a group have the same data, which is never changed.
_schemata: collections.deque[tuple[Mapping[str, Any], Any, dict[str, Any]]]
_schemata = collections.deque(maxlen=8)


def _changed(functions: Mapping[str, Any], changes: Mapping[str, Any],
             removed: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return functions with some added or exchanged and some removed."""
    return {**functions, **changes,
            **dict.fromkeys(removed, hot_funcs.Removed)}


class HOTemplate20130523(template_common.CommonTemplate):
    """heat_template_version 2013-05-23, and what all versions have."""

    strict_keys = True

    SECTIONS: tuple[str, ...]
    SECTIONS = (
        VERSION, DESCRIPTION, PARAMETER_GROUPS, PARAMETERS, RESOURCES,
        OUTPUTS, MAPPINGS,
    ) = (
        'heat_template_version', 'description', 'parameter_groups',
        'parameters', 'resources', 'outputs', '__undefined__',
    )

    SECTIONS_NO_DIRECT_ACCESS = frozenset([PARAMETERS, VERSION])

    _CFN_TO_HOT_SECTIONS = {
        'AWSTemplateFormatVersion': VERSION,
        'Description': DESCRIPTION,
        'Parameters': PARAMETERS,
        'Mappings': MAPPINGS,
        'Resources': RESOURCES,
        'Outputs': OUTPUTS,
        'Conditions': 'conditions',
    }

    _RESOURCE_KEYS: tuple[str, ...]
    _RESOURCE_KEYS = (
        RES_TYPE, RES_PROPERTIES, RES_METADATA, RES_DEPENDS_ON,
        RES_DELETION_POLICY, RES_UPDATE_POLICY, RES_DESCRIPTION,
    ) = (
        'type', 'properties', 'metadata', 'depends_on', 'deletion_policy',
        'update_policy', 'description',
    )

    _RESOURCE_HOT_TO_CFN_ATTRS = {
        'type': 'Type',
        'properties': 'Properties',
        'metadata': 'Metadata',
        'depends_on': 'DependsOn',
        'deletion_policy': 'DeletionPolicy',
        'update_policy': 'UpdatePolicy',
        'description': 'Description',
        'value': 'Value',
        'external_id': None,
        'condition': 'Condition',
    }
    _HOT_TO_CFN_ATTRS = _RESOURCE_HOT_TO_CFN_ATTRS

    OUTPUT_KEYS: tuple[str, ...]
    OUTPUT_KEYS = (
        OUTPUT_DESCRIPTION, OUTPUT_VALUE,
    ) = (
        'description', 'value',
    )

    functions = {
        'get_param': hot_funcs.GetParam,
        'get_resource': hot_funcs.GetResource,
        'get_attr': hot_funcs.GetAttThenSelect,
        'get_file': hot_funcs.GetFile,
        'list_join': hot_funcs.Join,
        'resource_facade': hot_funcs.ResourceFacade,
        'str_replace': hot_funcs.Replace,
        # Taken over from cfn; later versions have their own.
        'Fn::Base64': cfn_funcs.Base64,
        'Fn::GetAZs': cfn_funcs.GetAZs,
        'Fn::Join': cfn_funcs.Join,
        'Fn::MemberListToMap': cfn_funcs.MemberListToMap,
        'Fn::Replace': cfn_funcs.Replace,
        'Fn::ResourceFacade': cfn_funcs.ResourceFacade,
        'Fn::Select': cfn_funcs.Select,
        'Fn::Split': cfn_funcs.Split,
        'Ref': cfn_funcs.Ref,
    }

    param_schema_class: Any = parameters.HOTParamSchema

    def get_section_name(self, section: str) -> str:
        """Return what this language calls a section of cfn."""
        return self._CFN_TO_HOT_SECTIONS.get(section, section)

    def param_schemata(self, param_defaults: Mapping[str, Any] | None = None,
                       ) -> dict[str, Any]:
        """Return the Schema of each parameter.

        Raises InvalidSchemaError when some are wrong; its `partial` are
        those that are right.
        """
        defaults = param_defaults or {}
        section = self.section(self.PARAMETERS)
        if not section or not section.keys().isdisjoint(defaults):
            return self._make_schemata(section, defaults)
        for known, cls, made in list(_schemata):
            if known is section and cls is self.param_schema_class:
                return dict(made)
        schemata = self._make_schemata(section, {})
        if not request_budget.is_exhausted():
            # Otherwise parameters or constraints may be left out.
            _schemata.append((section, self.param_schema_class, schemata))
        return dict(schemata)

    def _make_schemata(self, section: Mapping[str, Any],
                       defaults: Mapping[str, Any]) -> dict[str, Any]:
        schema_class = self.param_schema_class
        found = diagnostics.Problems()
        schemata = {}
        for name, schema in section.items():
            if name in defaults and isinstance(schema, Mapping):
                schema = {**schema, schema_class.DEFAULT: defaults[name]}
            with found.noting():
                schemata[name] = schema_class.from_dict(name, schema)
            if found.full:
                break
        if found:
            raise found.error(schemata)
        return schemata

    def parameters(self, stack_identifier: Any, user_params: Any,
                   param_defaults: Any = None) -> Any:
        """Return the Parameters of a stack made from the template."""
        return parameters.HOTParameters(stack_identifier, self,
                                        user_params=user_params,
                                        param_defaults=param_defaults)


class HOTemplate20141016(HOTemplate20130523):
    """heat_template_version 2014-10-16."""

    functions = _changed(
        HOTemplate20130523.functions,
        {'get_attr': hot_funcs.GetAtt},
        removed=('Fn::Base64', 'Fn::GetAZs', 'Fn::Join',
                 'Fn::MemberListToMap', 'Fn::Replace', 'Fn::ResourceFacade',
                 'Fn::Split', 'Ref'))


class HOTemplate20150430(HOTemplate20141016):
    """heat_template_version 2015-04-30."""

    functions = _changed(
        HOTemplate20141016.functions,
        {'digest': hot_funcs.Digest,
         'repeat': hot_funcs.Repeat})


class HOTemplate20151015(HOTemplate20150430):
    """heat_template_version 2015-10-15."""

    functions = _changed(
        HOTemplate20150430.functions,
        {'get_attr': hot_funcs.GetAttAllAttributes,
         'list_join': hot_funcs.JoinMultiple,
         'str_replace': hot_funcs.ReplaceJson,
         'str_split': hot_funcs.StrSplit},
        removed=('Fn::Select',))


class HOTemplate20160408(HOTemplate20151015):
    """heat_template_version 2016-04-08."""

    functions = _changed(
        HOTemplate20151015.functions,
        {'map_merge': hot_funcs.MapMerge})


class HOTemplate20161014(HOTemplate20160408):
    """heat_template_version 2016-10-14, alias newton."""

    CONDITIONS = 'conditions'
    SECTIONS = HOTemplate20160408.SECTIONS + (CONDITIONS,)
    SECTIONS_NO_DIRECT_ACCESS = (
        HOTemplate20160408.SECTIONS_NO_DIRECT_ACCESS | {CONDITIONS})

    RES_EXTERNAL_ID = 'external_id'
    RES_CONDITION = 'condition'
    _RESOURCE_KEYS = (
        *HOTemplate20160408._RESOURCE_KEYS,  # noqa: SLF001 (plugin API)
        RES_EXTERNAL_ID, RES_CONDITION)

    OUTPUT_CONDITION = 'condition'
    OUTPUT_KEYS = HOTemplate20160408.OUTPUT_KEYS + (OUTPUT_CONDITION,)

    deletion_policies = {
        **HOTemplate20160408.deletion_policies,
        **{policy.lower(): policy
           for policy in HOTemplate20160408.deletion_policies}}

    functions = _changed(
        HOTemplate20160408.functions,
        {'if': hot_funcs.If,
         'map_replace': hot_funcs.MapReplace,
         'repeat': hot_funcs.RepeatWithMap,
         'yaql': hot_funcs.Yaql})

    condition_functions = {
        'get_param': hot_funcs.GetParam,
        'equals': hot_funcs.Equals,
        'not': hot_funcs.Not,
        'and': hot_funcs.And,
        'or': hot_funcs.Or,
    }


class HOTemplate20170224(HOTemplate20161014):
    """heat_template_version 2017-02-24, alias ocata."""

    functions = _changed(
        HOTemplate20161014.functions,
        {'filter': hot_funcs.Filter,
         'str_replace_strict': hot_funcs.ReplaceJsonStrict})

    param_schema_class = parameters.HOTParamSchema20170224


class HOTemplate20170901(HOTemplate20170224):
    """heat_template_version 2017-09-01, alias pike."""

    functions = _changed(
        HOTemplate20170224.functions,
        {'contains': hot_funcs.Contains,
         'list_concat': hot_funcs.ListConcat,
         'list_concat_unique': hot_funcs.ListConcatUnique,
         'make_url': hot_funcs.MakeURL,
         'repeat': hot_funcs.RepeatWithNestedLoop,
         'str_replace_vstrict': hot_funcs.ReplaceJsonVeryStrict})

    condition_functions = _changed(
        HOTemplate20170224.condition_functions,
        {'contains': hot_funcs.Contains,
         'yaql': hot_funcs.Yaql})


class HOTemplate20180302(HOTemplate20170901):
    """heat_template_version 2018-03-02, alias queens."""

    param_schema_class = parameters.HOTParamSchema20180302


class HOTemplate20180831(HOTemplate20180302):
    """heat_template_version 2018-08-31, alias rocky."""


class HOTemplate20210416(HOTemplate20180831):
    """heat_template_version 2021-04-16, alias wallaby."""

    functions = _changed(
        HOTemplate20180831.functions,
        {'if': hot_funcs.IfNullable})
