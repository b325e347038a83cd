"""The parameters that the templates of a request declare."""
from collections.abc import Mapping
from typing import Any

from heat.common import exception
from heat.engine.language import lazy_definitions


def schemata(own: Mapping[str, Any], inner: Mapping[str, Any]
             ) -> lazy_definitions.LazyDefinitions:
    """Return schemata by name, each made when it is asked for.

    :param own: those that are made already; they count first
    :param inner: the template that declares a parameter, by its name. If its
        declaration is wrong, the schema is None.
    """
    def schema(name: str) -> Any:
        return own[name] if name in own else _schema_in(inner[name], name)

    return lazy_definitions.LazyDefinitions({**inner, **own}, schema)


def _schema_in(template: Any, name: str) -> Any:
    section = template.PARAMETERS
    alone = type(template)({**template.t, section: {
        name: template.section(section)[name]}})
    try:
        return alone.param_schemata()[name]
    except (exception.HeatException, ValueError, TypeError):
        return None
