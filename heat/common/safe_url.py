"""URLs as they may be logged: without what would let others in."""
import re
from urllib import parse

MASK = '***'

_SECRET = re.compile(r'sign|token|passw|secret|credential|key|sig$',
                     re.IGNORECASE)


def masked(url):
    """Return a URL, or the path of one, with its secrets masked.

    These are a password before the host, and values of the query whose
    names sound like a signature, a token, a password or a key.
    """
    base, mark, query = url.partition('?')
    scheme, slashes, rest = base.partition('://')
    if slashes and '@' in rest.partition('/')[0]:
        base = scheme + slashes + MASK + rest[rest.index('@'):]
    return base + mark + '&'.join(map(_masked_pair, query.split('&')))


def _masked_pair(pair):
    name, equals, value = pair.partition('=')
    if value and _SECRET.search(parse.unquote(name)):
        return name + equals + MASK
    return pair
