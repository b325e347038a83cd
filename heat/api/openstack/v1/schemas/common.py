"""Schemas that several nouns share, and errors that many actions have."""
from typing import Any

from heat.api import declaration

TEXT = {'type': 'string'}
TEXT_OR_NULL = {'type': ['string', 'null']}
NUMBER = {'type': 'integer'}
ANY: declaration.JSON = {}
MAP = {'type': 'object'}
MAP_OR_NULL = {'type': ['object', 'null']}
TIME = {'type': 'string', 'format': 'date-time'}
TIME_OR_NULL = {'type': ['string', 'null'], 'format': 'date-time'}
UUID = {'type': 'string', 'format': 'uuid'}
#: What an action answers that has nothing to tell.
NOTHING = {'type': 'null'}

#: A boolean of a body; clients that know texts only send those.
FLAG = {'type': ['boolean', 'string', 'null'],
        'title': 'true or false',
        'pattern': '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$'}

LINK = declaration.record({
    'href': {'type': 'string', 'format': 'uri'},
    'rel': TEXT,
})
LINKS = declaration.array(declaration.ref('Link'))

ERROR = declaration.record({
    'code': {'type': 'integer', 'minimum': 400, 'maximum': 599},
    'title': TEXT,
    'explanation': TEXT,
    'error': declaration.record({
        'type': {'type': 'string', 'minLength': 1},
        'message': TEXT,
        'traceback': TEXT_OR_NULL,
    }),
})

#: A stack as lists of identifiers name it.
IDENTITY = declaration.record({
    'tenant': TEXT, 'stack_name': TEXT, 'stack_id': TEXT, 'path': TEXT})

COMPONENTS = {'Link': LINK, 'Error': ERROR, 'Identity': IDENTITY}

#: Every action may answer these.
COMMON_ERRORS = (
    declaration.Error(400, 'HTTPBadRequest',
                      'the body or the query is not what it has to be'),
    declaration.Error(401, '', 'the token is missing or not valid'),
    declaration.Error(
        403, 'Forbidden|HTTPForbidden',
        'a policy rule denies it, or the token is for another project'),
    declaration.Error(500, '', 'the service failed; its operator knows why'),
)
#: And every action on a stack this.
NO_SUCH_STACK = declaration.Error(404, 'EntityNotFound',
                                  'there is no such stack')
STACK_LOCKED = declaration.Error(
    409, 'ActionInProgress',
    'another operation holds the stack, which is not driven by convergence')

SORT_DIR = declaration.choice(
    'sort_dir', 'The direction of sorting. Without ``sort_keys`` the '
    'newest come first, else it is ``asc``.', ('asc', 'desc'))
MARKER = 'The last item of the page before; one that is unknown is ignored.'
LIMIT = 'How many items there are at most; none when it is 0.'


def global_tenant(policy: str) -> Any:
    """Return the parameter that asks for the things of all projects."""
    return declaration.boolean(
        'global_tenant',
        f'List what all projects have; asks for the rule ``{policy}``.',
        policy=policy)
