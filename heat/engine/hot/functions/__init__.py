"""The functions of HOT templates."""
from heat.engine.hot.functions.collections import (
    Filter,
    ListConcat,
    ListConcatUnique,
    MapMerge,
    MapReplace,
    Repeat,
    RepeatWithMap,
    RepeatWithNestedLoop,
)
from heat.engine.hot.functions.logic import (
    And,
    ConditionBoolean,
    Contains,
    Equals,
    If,
    IfNullable,
    Not,
    Or,
    Removed,
)
from heat.engine.hot.functions.references import (
    GetAtt,
    GetAttAllAttributes,
    GetAttThenSelect,
    GetFile,
    GetParam,
    GetResource,
    ResourceFacade,
)
from heat.engine.hot.functions.strings import (
    Digest,
    Join,
    JoinMultiple,
    MakeURL,
    Replace,
    ReplaceJson,
    ReplaceJsonStrict,
    ReplaceJsonVeryStrict,
    StrSplit,
)
from heat.engine.hot.functions.yaql import Yaql

__all__ = [
    'And', 'ConditionBoolean', 'Contains', 'Digest', 'Equals', 'Filter',
    'GetAtt', 'GetAttAllAttributes', 'GetAttThenSelect', 'GetFile',
    'GetParam', 'GetResource', 'If', 'IfNullable', 'Join', 'JoinMultiple',
    'ListConcat', 'ListConcatUnique', 'MakeURL', 'MapMerge', 'MapReplace',
    'Not', 'Or', 'Removed', 'Repeat', 'RepeatWithMap',
    'RepeatWithNestedLoop', 'Replace', 'ReplaceJson', 'ReplaceJsonStrict',
    'ReplaceJsonVeryStrict', 'ResourceFacade', 'StrSplit', 'Yaql',
]
