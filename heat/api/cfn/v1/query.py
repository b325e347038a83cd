"""The parameters of a CloudFormation query."""
import base64
from typing import Any

import webob.exc

from heat.api.aws import exception
from heat.api.aws import utils
from heat.api.openstack.v1 import error_position
from heat.common import environment_format
from heat.common import identifier
from heat.common import param_utils
from heat.common import template_format
from heat.common import urlfetch
from heat.common.i18n import _
from heat.rpc import api as rpc_api

_MEANING_OF_FAILURE = {'DO_NOTHING': True, 'ROLLBACK': False,
                       'DELETE': False}
_TEMPLATE_URLS = ('TemplateUrl', 'TemplateURL')


class Query:
    """Reads the parameters of a request, each when asked for.

    Raises the errors of heat.api.aws.exception.
    """

    def __init__(self, request: webob.Request) -> None:
        self._params = utils.params_of(request)
        #: What came as text, for who wants to know where an error is.
        self.texts = error_position.Texts()

    def get(self, name: str) -> str | None:
        """Return a parameter, None when it is absent or empty.

        A NUL character is refused: no name and no value has one.
        """
        value = self._params.get(name) or None
        if value is not None and '\0' in value:
            raise exception.HeatInvalidParameterValueError(
                _('The value of %s holds a NUL character.') % name)
        return value

    def required(self, name: str) -> str:
        """Return a parameter that has to be given."""
        value = self.get(name)
        if value is None:
            raise exception.HeatMissingParameterError(
                _('The parameter %s is missing.') % name)
        return value

    def flag(self, name: str) -> bool | None:
        """Return a parameter that is true or false; None when absent."""
        value = self.get(name)
        if value is None:
            return None
        try:
            return param_utils.extract_bool(name, value)
        except ValueError as exc:
            raise exception.HeatInvalidParameterValueError(
                str(exc)) from exc

    def identity(self, tenant: str, value: str) -> dict[str, Any] | None:
        """Return the stack identity an ARN names, None for a name."""
        if not identifier.is_arn(value):
            return None
        try:
            found = identifier.HeatIdentifier.from_arn(value)
        except ValueError as exc:
            raise exception.HeatInvalidParameterValueError(
                str(exc)) from exc
        if found.tenant != tenant:
            raise exception.HeatAccessDeniedError(
                _('The stack belongs to another project.'))
        return dict(found)

    def marker(self) -> str | None:
        """Return the name after which a page begins, None for the first.
        """
        token = self.get('NextToken')
        if token is None:
            return None
        try:
            return base64.b64decode(token.encode(), b'-_',
                                    validate=True).decode()
        except ValueError as exc:
            raise exception.HeatInvalidParameterValueError(
                _('NextToken is none that this service has given.')) from exc

    @staticmethod
    def token_after(name: str) -> str:
        """Return the NextToken of a page that ends with a name."""
        return base64.urlsafe_b64encode(name.encode()).decode()

    def template(self) -> Any:
        """Return the template, None when there is none."""
        text = self.get('TemplateBody')
        url = next(filter(None, map(self.get, _TEMPLATE_URLS)), None)
        try:
            if text is None and url is not None:
                text = urlfetch.get(url)
                self.texts.template = text
                return template_format.parse_fetched(text, url)
            if text is None:
                return None
            self.texts.template = text
            return template_format.parse(text)
        except (ValueError, urlfetch.URLFetchError) as exc:
            raise exception.HeatInvalidParameterValueError(
                str(exc)) from exc

    def required_template(self) -> Any:
        """Return the template; there has to be one."""
        template = self.template()
        if template is None:
            raise exception.HeatMissingParameterError(
                _('TemplateBody or TemplateUrl is needed.'))
        return template

    def parameters(self) -> dict[str, Any]:
        """Return the values of the stack's parameters by name."""
        return utils.extract_param_pairs(
            self._params, prefix='Parameters', keyname='ParameterKey',
            valuename='ParameterValue')

    def kept_parameters(self) -> set[str]:
        """Return the names of parameters that are to keep their values."""
        kept = utils.extract_param_pairs(
            self._params, prefix='Parameters', keyname='ParameterKey',
            valuename='UsePreviousValue')
        return {name for name, value in kept.items()
                if value.lower() == 'true'}

    def texts_of(self, name: str) -> list[str]:
        """Return a list of texts, empty when it is absent.

        A member that is no text is refused.
        """
        members = utils.extract_param_list(self._params, prefix=name)
        if not all(isinstance(each, str) and each and '\0' not in each
                   for each in members):
            raise exception.HeatInvalidParameterValueError(
                _('Each member of %s must be a text.') % name)
        return members

    def environment(self) -> dict[str, Any]:
        """Return an environment with the parameters."""
        return {environment_format.PARAMETERS: self.parameters()}

    def options(self) -> dict[str, Any]:
        """Return the options of the stack by the names of the engine."""
        options = {}
        timeout = self.get('TimeoutInMinutes')
        if timeout is not None:
            options[rpc_api.PARAM_TIMEOUT] = self._number(
                'TimeoutInMinutes', timeout)
        disable = self.flag('DisableRollback')
        # The second is that of change sets.
        failure = self.get('OnFailure') or self.get('OnStackFailure')
        if disable is not None and failure is not None:
            raise exception.HeatInvalidParameterCombinationError(
                _('DisableRollback and OnFailure may not be used together.'))
        if failure is not None:
            if failure not in _MEANING_OF_FAILURE:
                raise exception.HeatInvalidParameterValueError(
                    _('OnFailure must be one of %s.')
                    % ', '.join(_MEANING_OF_FAILURE))
            disable = _MEANING_OF_FAILURE[failure]
        if disable is not None:
            options[rpc_api.PARAM_DISABLE_ROLLBACK] = disable
        return options

    def number(self, name: str, lowest: int, highest: int) -> int:
        """Return a number within bounds, the higher one by default."""
        value = self.get(name)
        found = highest if value is None else self._number(name, value)
        if not lowest <= found <= highest:
            raise exception.HeatInvalidParameterValueError(
                _('%(name)s must be a number from %(lowest)d to '
                  '%(highest)d.') % {'name': name, 'lowest': lowest,
                                     'highest': highest})
        return found

    @staticmethod
    def _number(name: str, value: str) -> int:
        try:
            return param_utils.extract_int(name, value, allow_zero=False)
        except (ValueError, webob.exc.HTTPException) as exc:
            raise exception.HeatInvalidParameterValueError(
                str(exc)) from exc
