"""The schema of a list: one schema for every index."""
import collections.abc
from collections.abc import Iterator
from typing import Any

from heat.common.i18n import _

#: Shown instead of the item schema's key in the schema of a list.
ANY_INDEX = '*'


class AnyIndexDict(collections.abc.Mapping[Any, Any]):
    """A mapping with one value under every integer; shown as '*'."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getitem__(self, key: Any) -> Any:
        if key != ANY_INDEX and not isinstance(key, int):
            raise KeyError(_('Invalid key %s') % key)
        return self.value

    def __iter__(self) -> Iterator[str]:
        yield ANY_INDEX

    def __len__(self) -> int:
        return 1
