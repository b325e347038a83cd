"""The functions of HOT templates."""
from heat.engine.hot.functions.collections import Filter
from heat.engine.hot.functions.collections import ListConcat
from heat.engine.hot.functions.collections import ListConcatUnique
from heat.engine.hot.functions.collections import MapMerge
from heat.engine.hot.functions.collections import MapReplace
from heat.engine.hot.functions.collections import Repeat
from heat.engine.hot.functions.collections import RepeatWithMap
from heat.engine.hot.functions.collections import RepeatWithNestedLoop
from heat.engine.hot.functions.logic import And
from heat.engine.hot.functions.logic import ConditionBoolean
from heat.engine.hot.functions.logic import Contains
from heat.engine.hot.functions.logic import Equals
from heat.engine.hot.functions.logic import If
from heat.engine.hot.functions.logic import IfNullable
from heat.engine.hot.functions.logic import Not
from heat.engine.hot.functions.logic import Or
from heat.engine.hot.functions.logic import Removed
from heat.engine.hot.functions.references import GetAtt
from heat.engine.hot.functions.references import GetAttAllAttributes
from heat.engine.hot.functions.references import GetAttThenSelect
from heat.engine.hot.functions.references import GetFile
from heat.engine.hot.functions.references import GetParam
from heat.engine.hot.functions.references import GetResource
from heat.engine.hot.functions.references import ResourceFacade
from heat.engine.hot.functions.strings import Digest
from heat.engine.hot.functions.strings import Join
from heat.engine.hot.functions.strings import JoinMultiple
from heat.engine.hot.functions.strings import MakeURL
from heat.engine.hot.functions.strings import Replace
from heat.engine.hot.functions.strings import ReplaceJson
from heat.engine.hot.functions.strings import ReplaceJsonStrict
from heat.engine.hot.functions.strings import ReplaceJsonVeryStrict
from heat.engine.hot.functions.strings import StrSplit
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
