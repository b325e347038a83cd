"""The words of change sets, as the API, the engine and authors use them."""
import enum

ACTIONS = (
    CREATE, UPDATE, REPLACE, DELETE, RETAIN, KEEP, MOVE, IMPORT,
) = (
    'create', 'update', 'replace', 'delete', 'retain', 'keep', 'move',
    'import',
)
#: Whether a change replaces the resource.
REPLACEMENTS = (NEVER, MAYBE, ALWAYS) = ('never', 'maybe', 'always')


class Status(enum.StrEnum):
    """The states of a change set."""

    CREATE_IN_PROGRESS = 'CREATE_IN_PROGRESS'   # an engine plans it
    AVAILABLE = 'AVAILABLE'                     # it can be executed
    NO_CHANGES = 'NO_CHANGES'                   # there is nothing to execute
    FAILED = 'FAILED'                           # the update would fail
    EXECUTED = 'EXECUTED'                       # its operation has begun
    STALE = 'STALE'                             # the stack changed since
