"""Things that are found by a name of ours when nobody knows their id.

The answer to the request that made a thing may be lost, or the engine may
die before it has recorded the id.
"""
from typing import Any


class FoundByName:
    """For resources whose things have a name that nobody else gives."""

    # What the resource has.
    client_plugin: Any
    resource_id: Any
    resource_id_set: Any

    def _find_by_name(self):
        """Return the thing that has the name we gave it, or None."""
        raise NotImplementedError

    def _created_id(self, created):
        """Return what the thing is found by from now on."""
        return created.id

    def _made(self, request, *args, **body):
        """Return what a request makes, although its answer may be lost."""
        try:
            return request(*args, **body)
        except Exception as error:
            found = (self._find_by_name() if
                     self.client_plugin().may_have_been_done(error)
                     else None)
            if found is None:
                raise
            return found

    def find_created(self):
        """Look for what was made before its id could be recorded.

        It is not gone on with, as there may be more to it than one request:
        it is deleted and made anew.
        """
        if self.resource_id is None:
            found = self._find_by_name()
            if found is not None:
                self.resource_id_set(self._created_id(found))
