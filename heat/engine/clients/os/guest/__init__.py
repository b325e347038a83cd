"""Scripts that run in servers, not here; user data contain them."""
import functools
from importlib import resources


@functools.cache
def script(name: str) -> str:
    """Return the text of a script of this directory."""
    return resources.files(__name__).joinpath(name).read_text('utf-8')
