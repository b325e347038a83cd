"""Things that are found by a name of ours when nobody knows their id.

The answer to the request that made a thing may be lost, or the engine may
die before it has recorded the id.
"""
from typing import Any

from heat.common import exception
from heat.common.i18n import _


class IncompleteAnswer(exception.HeatException):
    """The answer to a successful create request has no resource id."""

    msg_fmt = _('The service has confirmed the creation, but its answer ended '
                'before the id of what it created')


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
            made = request(*args, **body)
            if hasattr(made, 'id') and self._created_id(made) is None:
                raise IncompleteAnswer()
        except Exception as error:
            is_lost = (isinstance(error, IncompleteAnswer) or
                       self.client_plugin().may_have_been_done(error))
            found = self._find_by_name() if is_lost else None
            if found is None:
                raise
            return found
        return made

    def find_created(self):
        """Look for what was made before its id could be recorded.

        It is not gone on with, as there may be more to it than one request:
        it is deleted and made anew.
        """
        if self.resource_id is None:
            found = self._find_by_name()
            if found is not None:
                self.resource_id_set(self._created_id(found))


class IdentifiedByName(FoundByName):
    """For resources whose things have their name as their id.

    A name that the user gave may be that of somebody else's thing: only
    names of ours are looked for.
    """

    #: The property for a name that the user gives, if there is one.
    name_property: str | None = 'name'
    physical_resource_name: Any
    properties: Any

    def _ask_for(self, name):
        """Ask for the thing of a name; raise if there is none."""
        raise NotImplementedError

    def _find_by_name(self):
        if self.name_property is None or (
                self.properties[self.name_property] is None):
            name = self.physical_resource_name()
            with self.client_plugin().ignore_not_found:
                self._ask_for(name)
                return name
        return None

    def _created_id(self, created):
        return created
