"""The placeholders of Fn::Sub, such as ${Server.PrivateIp}.

Their form is that of the AWS CloudFormation User Guide, "Fn::Sub".
"""
from collections.abc import Iterator, Mapping
import re
from typing import Any

from heat.engine import function

#: A placeholder. Spaces around the name do not count; ${!Name} stands for the
#: text ${Name}.
PLACEHOLDER = re.compile(r'\$\{(?P<name>[^{}]*)\}')


def arguments(args: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return (text, variables) of Fn::Sub, None if these are no arguments."""
    text, variables = args, {}
    if function.is_list(args) and len(args) == 2:
        text, variables = args
    if not (isinstance(text, str) and function.is_map(variables)):
        return None
    return text, variables


def references(args: Any) -> Iterator[tuple[str, str]]:
    """Yield (placeholder, name) of what a text of Fn::Sub refers to.

    The names are those of parameters and resources, with an attribute after
    a dot, but not the variables that come with the text.
    """
    text, variables = arguments(args) or ('', {})
    for found in PLACEHOLDER.finditer(text):
        name = found['name'].strip()
        if not name.startswith('!') and name not in variables:
            yield found[0], name


def names(text: str) -> set[str]:
    """Return the names to which the placeholders of a text refer."""
    return {name for _placeholder, name in references(text)}
