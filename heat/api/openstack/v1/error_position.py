"""Where in the texts of a request an error of the engine is.

The engine works on parsed templates and names the place by its path. Who
sent text wants to know the line; it is found here, once there is an error.
"""
import contextlib
import dataclasses
import re
from typing import Any

from heat.common import environment_format
from heat.common import error_text
from heat.common import exception
from heat.common import text_places
from heat.common.i18n import _

# A resource whose type is a template, as paths name it: name<file>.
_TEMPLATE_RESOURCE = re.compile(r'(?P<name>.*)<(?P<file>[^<>]+)>', re.DOTALL)
_OF_ENVIRONMENT = frozenset(environment_format.SECTIONS) - {
    environment_format.PARAMETERS}


class Texts:
    """The parts of a request that came as text.

    Parts that the client had parsed are None: nothing is known of lines.
    """

    def __init__(self) -> None:
        self.template: str | None = None
        self.environment: str | None = None
        self.files: dict[str, Any] = {}
        #: The names of those files that make up the environment.
        self.environment_files: tuple[str, ...] = ()
        self._places: dict[str, Any] = {}

    @contextlib.contextmanager
    def locating(self) -> Any:
        """Return a context that adds the position to errors about them."""
        try:
            yield
        except exception.HeatException as error:
            self.locate(error)
            raise

    def locate(self, error: Any) -> None:
        """Add the position to an error that has a path only.

        What else is wrong gets its own.
        """
        first, *others = error.problems
        if others:
            error.tell_others([self._located(other) for other in others],
                              error.left_out)
        position = self._position_of(first)
        if position:
            error.place(**position)

    def _located(self, problem: Any) -> Any:
        return dataclasses.replace(problem, **self._position_of(problem))

    def _position_of(self, problem: Any) -> dict[str, Any]:
        if not problem.path or problem.line is not None:
            return {}
        if problem.error == 'UnknownUserParameter':
            return self._position_in_environment(problem.path)
        return self.position(problem.path, problem.file)

    def _position_in_environment(self, path: Any) -> dict[str, Any]:
        """Return where a value is given, the last one that counts."""
        texts = [(_('the environment'), self.environment)] if (
            self.environment) else [
                (name, self._file(name))
                for name in reversed(self.environment_files)]
        for name, text in texts:
            places = self._places_of(text) if text else None
            # What is not there is said to be where its section is.
            if places and places.find(path) != places.find(path[:-1]):
                line, column = places.find(path)
                return {'line': line, 'column': column, 'file': name}
        return {}

    def position(self, path: Any, file: str | None = None) -> dict[str, Any]:
        """Return {line, column and perhaps file} of a path, {} for none.

        :param file: the name of the file that the path is in, if it is
            known not to be in the template.
        """
        path = list(path)
        for index, step in enumerate(path):
            found = _TEMPLATE_RESOURCE.fullmatch(str(step))
            if found and self._file(found['file']):
                return self.position(path[index + 1:], found['file'])
            if found:
                # The best that is known is who uses the file.
                path = [*path[:index], found['name']]
                break
        if not file and path and path[0] in _OF_ENVIRONMENT:
            text, file = self.environment, _('the environment')
        else:
            text = self._file(file) if file else self.template
        place = self._places_of(text).find(path) if text else None
        if place is None:
            return {}
        position = {'line': place[0], 'column': place[1]}
        if file:
            position['file'] = file
        return position

    def position_text(self, path: Any) -> str:
        """Return the position of a path as it is put behind an error."""
        position = self.position(path or ())
        return error_text.position_text(
            position.get('line'), position.get('column'),
            position.get('file'))

    def _places_of(self, text: str) -> Any:
        """Return the places of a text, which is read once."""
        if text not in self._places:
            self._places[text] = text_places.Places(text)
        return self._places[text]

    def _file(self, name: str) -> Any:
        """Return the text of a file, unless it is no user's text."""
        return text_places.as_written(self.files.get(name))
