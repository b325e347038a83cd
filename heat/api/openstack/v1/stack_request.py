"""The body of a create, update, preview or validate request.

Everything is checked here that can be checked without the engine, so that
a wrong body is answered with what is wrong in it.
"""
from collections.abc import Callable
from typing import Any

from oslo_log import log as logging
import webob.exc

from heat.api import declaration
from heat.api import request_body
from heat.api.openstack.v1 import error_position
from heat.api.openstack.v1 import util
from heat.common import environment_format
from heat.common import param_utils
from heat.common import template_format
from heat.common import urlfetch
from heat.common.i18n import _
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

BODY_KEYS = (
    STACK_NAME, TEMPLATE, TEMPLATE_URL, PARAMETERS, ENVIRONMENT, FILES,
    ENVIRONMENT_FILES, FILES_CONTAINER,
) = (
    'stack_name', 'template', 'template_url', 'parameters', 'environment',
    'files', 'environment_files', 'files_container',
)
# Sections of an exported environment that describe the old stack, not the
# wish of a user.
_EXPORT_ONLY = frozenset(('encrypted_param_names',))
_LIST_SECTIONS = (environment_format.EVENT_SINKS,
                  environment_format.ENCRYPTED_PARAM_NAMES,
                  environment_format.MOVES)
# What clients send for a part that was not given.
_EMPTY: tuple[object, ...] = (None, '', [], {})


class StackRequest:
    """The parts of a request body, each parsed when asked for.

    :param existing: the request is a PATCH: what is left out stays.
    """

    def __init__(self, body: Any, *, existing: bool = False) -> None:
        self.body = body
        self.existing = existing
        #: What came as text, for who wants to know where an error is.
        self.texts = error_position.Texts()
        self._adopted = None

    def stack_name(self) -> Any:
        """Return the name of the new stack."""
        if not self.body.get(STACK_NAME):
            raise webob.exc.HTTPBadRequest(_('No stack name given.'))
        return util.checked_text(STACK_NAME, self.body[STACK_NAME])

    def template(self) -> Any:
        """Return the template; None when a PATCH leaves it out.

        :raises HTTPBadRequest: there is none, or it is no YAML or JSON map;
            the message says where.
        """
        template = self.body.get(TEMPLATE)
        url = self.body.get(TEMPLATE_URL)
        if template is not None:
            return self._parsed_template(template)
        if self.body.get(rpc_api.PARAM_ADOPT_STACK_DATA):
            return self._parsed_template(self._adopt_data().get(TEMPLATE))
        if url is not None:
            return self._fetched_template(url)
        if self.existing:
            return None
        raise webob.exc.HTTPBadRequest(_('No template given.'))

    def _parsed_template(self, template: Any, url: str | None = None) -> Any:
        if isinstance(template, dict):
            return template
        if not isinstance(template, str):
            raise webob.exc.HTTPBadRequest(
                _('The template must be an object or a string, not %s.')
                % request_body.json_type(template))
        self.texts.template = template
        try:
            if url is not None:
                return template_format.parse_fetched(template, url)
            return template_format.parse(template)
        except ValueError as exc:
            raise webob.exc.HTTPBadRequest(str(exc)) from exc

    def _fetched_template(self, url: str) -> Any:
        util.checked_text(TEMPLATE_URL, url)
        LOG.debug('Fetching the template of a request')
        try:
            text = urlfetch.get(url)
        except (urlfetch.URLFetchError, ValueError) as exc:
            raise webob.exc.HTTPBadRequest(
                _('The template could not be fetched: %s') % exc) from exc
        return self._parsed_template(text, url)

    def _adopt_data(self) -> Any:
        """Return the exported stack that is to be adopted."""
        if self._adopted is None:
            data = self.body[rpc_api.PARAM_ADOPT_STACK_DATA]
            try:
                adopted = template_format.simple_parse(
                    util.checked_text(rpc_api.PARAM_ADOPT_STACK_DATA, data))
            except ValueError as exc:
                raise webob.exc.HTTPBadRequest(
                    _('The adopt data are not well-formed: %s')
                    % exc) from exc
            util.checked_type(rpc_api.PARAM_ADOPT_STACK_DATA, adopted, dict)
            if not adopted or not isinstance(adopted.get(TEMPLATE), dict):
                raise webob.exc.HTTPBadRequest(
                    _('The adopt data hold no template.'))
            _check_resources(rpc_api.PARAM_ADOPT_STACK_DATA, adopted)
            self._adopted = adopted
        return self._adopted

    def environment(self) -> Any:
        """Return the environment, the body's parameters laid over it.

        Where environment files are given they are the environment, merged
        by the engine, and only the parameters remain of this one.
        """
        given = self.body.get(ENVIRONMENT)
        if self.body.get(ENVIRONMENT_FILES):
            given = None
        elif given is None and self.body.get(rpc_api.PARAM_ADOPT_STACK_DATA):
            exported = self._adopt_data().get(ENVIRONMENT) or {}
            util.checked_type(ENVIRONMENT, exported, dict)
            given = {key: value for key, value in exported.items()
                     if key not in _EXPORT_ONLY}
        env = {} if given in (None, '') else self._parsed_environment(given)
        environment_format.default_for_missing(env)
        _check_sections(env)
        parameters = util.checked_type(
            PARAMETERS, self.body.get(PARAMETERS), dict)
        env[environment_format.PARAMETERS] = {
            **env[environment_format.PARAMETERS], **(parameters or {})}
        return env

    def _parsed_environment(self, given: Any) -> Any:
        try:
            if isinstance(given, str):
                self.texts.environment = given
                return environment_format.parse(given)
            util.checked_type(ENVIRONMENT, given, dict)
            environment_format.validate(given)
            return dict(given)
        except ValueError as exc:
            raise webob.exc.HTTPBadRequest(str(exc)) from exc

    def files(self) -> Any:
        """Return the texts of the files, by name."""
        files = util.checked_type(FILES, self.body.get(FILES), dict)
        if files is None and self.body.get(rpc_api.PARAM_ADOPT_STACK_DATA):
            files = self._adopt_data().get(FILES)
            util.checked_type(FILES, files, dict)
        for name, text in (files or {}).items():
            if not isinstance(text, str):
                raise webob.exc.HTTPBadRequest(
                    _('The content of the file "%(name)s" must be a string, '
                      'not %(type)s.')
                    % {'name': name, 'type': request_body.json_type(text)})
        self.texts.files = files or {}
        return self.texts.files

    def environment_files(self) -> Any:
        """Return the names of the files that make up the environment."""
        names = util.checked_type(
            ENVIRONMENT_FILES, self.body.get(ENVIRONMENT_FILES), list)
        for name in names or ():
            util.checked_text(ENVIRONMENT_FILES, name, required=True)
        self.texts.environment_files = tuple(names or ())
        return names

    def files_container(self) -> str | None:
        """Return the name of the container that holds files, or None."""
        return util.checked_text(
            FILES_CONTAINER, self.body.get(FILES_CONTAINER))

    def args(self) -> dict[str, Any]:
        """Return the options of the operation, converted and checked.

        Keys we do not know are passed on; the engine ignores them.
        """
        args = {key: value for key, value in self.body.items()
                if key not in BODY_KEYS and key not in (
                    rpc_api.PARAM_EXISTING, rpc_api.PARAM_OVERRIDE_POLICY)}
        if self.existing:
            args[rpc_api.PARAM_EXISTING] = True
        _convert_timeout(args)
        for name in (rpc_api.PARAM_DISABLE_ROLLBACK, rpc_api.PARAM_CONVERGE,
                     rpc_api.PARAM_PROTECTED):
            _convert(args, name, param_utils.extract_bool)
        _convert_tags(args)
        _check_cleared(args)
        return args


def is_no_change(body: Any) -> bool:
    """Return whether a PATCH asks for nothing but the same again."""
    return all(value in _EMPTY for key, value in body.items()
               if key != rpc_api.PARAM_EXISTING)


def create_args(request: Any) -> dict[str, Any]:
    """Return the options of a creation.

    :raises HTTPBadRequest: one of them makes sense for an update only.
    """
    args = request.args()
    if rpc_api.PARAM_CONVERGE in args:
        raise webob.exc.HTTPBadRequest(
            _('"%s" is possible in an update only.')
            % rpc_api.PARAM_CONVERGE)
    args.setdefault(rpc_api.PARAM_DISABLE_ROLLBACK, True)
    return args


def _check_sections(env: Any) -> None:
    for section, content in env.items():
        wanted = list if section in _LIST_SECTIONS else dict
        util.checked_type(f'environment.{section}', content, wanted)


def _convert(args: Any, name: str, extractor: Callable[..., Any]) -> None:
    if args.get(name) is None:
        args.pop(name, None)
    else:
        args[name] = util.extract(extractor, name, args[name])


def _convert_timeout(args: Any) -> None:
    """Convert the time-out; 0 means that none is given."""
    name = rpc_api.PARAM_TIMEOUT
    minutes = args.pop(name, None)
    if minutes is not None and minutes != '':
        minutes = util.extract(param_utils.extract_int, name, minutes,
                               allow_zero=True)
        if minutes > declaration.MAX_INTEGER:
            raise webob.exc.HTTPBadRequest(
                _('"%(name)s" must not be more than %(most)d.')
                % {'name': name, 'most': declaration.MAX_INTEGER})
        if minutes:
            args[name] = minutes


def _convert_tags(args: Any) -> None:
    """Turn the comma-separated tags into a list."""
    name = rpc_api.PARAM_TAGS
    tags = args.pop(name, None)
    if tags is None:
        return
    util.checked_text(name, tags)
    args[name] = util.extract(param_utils.extract_tags, tags)


def _check_cleared(args: Any) -> None:
    name = rpc_api.PARAM_CLEAR_PARAMETERS
    cleared = util.checked_type(name, args.pop(name, None), list)
    for parameter in cleared or ():
        util.checked_text(name, parameter, required=True)
    if cleared is not None:
        args[name] = cleared


def _check_resources(path: str, exported: dict[str, Any]) -> None:
    """Raise HTTPBadRequest if the data of a resource have a wrong form.

    The resources of nested stacks are checked as well.
    """
    path += '.resources'
    resources = util.checked_type(path, exported.get('resources'), dict)
    for name, each in (resources or {}).items():
        below = f'{path}.{name}'
        if util.checked_type(below, each, dict) is None:
            continue
        for key in ('metadata', 'resource_data'):
            util.checked_type(f'{below}.{key}', each.get(key), dict)
        for key, value in (each.get('resource_data') or {}).items():
            util.checked_type(f'{below}.resource_data.{key}', value, str)
        if isinstance(each.get('resource_id'), dict | list):
            # In YAML, an id of digits without quotes is a number.
            util.checked_type(f'{below}.resource_id', each['resource_id'],
                              str)
        _check_resources(below, each)
