"""Every exception of the service that users or plugins may meet.

Each class states its text in msg_fmt, filled from keyword arguments, which
an instance keeps: oslo.messaging rebuilds it from them after an RPC call.
"""
import logging
import sys

from heat.common import error_text
from heat.common import i18n
from heat.common import problem
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

_UNKNOWN = _('Unknown')
_RESOURCE_FAILED = _('Resource failed')

type_name = error_text.type_name
text_of = error_text.text_of
path_text = error_text.path_text


class HeatException(Exception):
    """Base of our errors; a subclass defines msg_fmt.

    The message names the place in the template that an error is about: path,
    a list of keys and indexes, and line, column and file of the text.

    NOTE: a subclass with its own constructor passes the constructor's
    arguments on by name. Remote errors are rebuilt as cls(**exc.kwargs).
    """

    msg_fmt = _('An unknown error occurred.')
    error_code: str | None = None
    #: Values of placeholders that a caller may leave out.
    defaults: dict[str, str] = {}
    #: Whether the text may be shown to users.
    safe = True
    #: What could be made all the same, for who wants to find more errors.
    partial: object = None
    #: Whether it is about a reference to a name that does not exist.
    dangling = False

    def __init__(self, **kwargs):
        super().__init__()
        kwargs = problem.restored(kwargs)
        self.kwargs = problem.with_origins(kwargs)
        # oslo.messaging passes args and kwargs to the constructor; having
        # the same value in both would be an error.
        self.args = ()
        path = kwargs.get('path')
        self.path = [path] if isinstance(path, str) else list(path or ())
        self.line = kwargs.get('line')
        self.column = kwargs.get('column')
        self.dangling = kwargs.get('dangling', self.dangling)
        self.message = self._compose(kwargs)

    def place(self, path=None, **position):
        """Say, where it was not known before, what place it is about.

        :param path: the path in the template.
        :param position: line, column and perhaps file.
        """
        if path is not None:
            self.path = self.kwargs['path'] = list(path)
        self.line = position.get('line', self.line)
        self.column = position.get('column', self.column)
        self.kwargs.update(position)
        self.message = self._compose(self.kwargs)

    def _compose(self, kwargs):
        """Return the message with all that goes around the text."""
        text = self._format(kwargs)
        if not error_text.is_matched_whole(text):
            text += error_text.position_text(self.line, self.column,
                                             kwargs.get('file'))
        if self.error_code:
            text = 'HEAT-E%s ' % self.error_code + text
        return text + problem.others_text(kwargs)

    def _format(self, kwargs):
        return error_text.at_path(self.path, self._fill(kwargs))

    def _fill(self, kwargs):
        try:
            return error_text.shortened(i18n.filled(
                self.msg_fmt, {**self.defaults, **kwargs}))
        except (KeyError, TypeError, ValueError):
            # An incomplete message must not hide the error it belongs to.
            LOG.warning('Cannot fill the message of %s from %s',
                        type(self).__name__, sorted(kwargs))
            return str(self.msg_fmt)

    @property
    def problems(self):
        """All that is wrong as Problems, first what this error is about."""
        return problem.of(self)

    @property
    def left_out(self):
        """The number of further problems."""
        return self.kwargs.get(problem.LEFT_OUT) or 0

    def tell_others(self, others, left_out=0):
        """Add problems, and a number of further ones."""
        self.kwargs = problem.with_origins({
            **self.kwargs, problem.LEFT_OUT: left_out,
            problem.OTHERS: [other.as_dict() for other in others]})
        self.message = self._compose(self.kwargs)

    @property
    def explanation(self):
        """The text without the place that it is about."""
        return self._fill(self.kwargs)

    def __str__(self):
        return str(self.message)

    def __repr__(self):
        return '%s(%r)' % (type_name(self), self.message)

    def __reduce__(self):
        return (_restore, (type(self), dict(self.__dict__)))


def _restore(cls, state):
    """Return the exception that was pickled or copied."""
    exc = cls.__new__(cls)
    exc.__dict__.update(state)
    return exc


def _naming(keyword):
    """Return a constructor that lists its arguments under the keyword."""
    def __init__(self, *args, **kwargs):
        if args:
            kwargs[keyword] = ', '.join(str(arg) for arg in args)
        HeatException.__init__(self, **kwargs)
    return __init__


class Error(HeatException):
    msg_fmt = '%(message)s'

    def __init__(self, message, **kwargs):
        super().__init__(message=message, **kwargs)


class MissingCredentialError(HeatException):
    msg_fmt = _('The request lacks a credential this operation needs: '
                '%(required)s.')


class ServiceUnavailable(HeatException):
    msg_fmt = _('The service is not available at the moment.')


class AuthorizationFailure(HeatException):
    msg_fmt = _('Authorization failed. %(failure_reason)s')

    def __init__(self, failure_reason='', **kwargs):
        super().__init__(failure_reason=failure_reason, **kwargs)


class NotAuthenticated(HeatException):
    msg_fmt = _('You are not authenticated.')


class Forbidden(HeatException):
    msg_fmt = _('You are not allowed to use %(action)s.')

    def __init__(self, action='this action', **kwargs):
        super().__init__(action=action, **kwargs)


class NotAuthorized(Forbidden):
    msg_fmt = _('You are not authorized to complete this action.')


class InvalidTenant(HeatException):
    msg_fmt = _('Project %(actual)s may not look into %(target)s.')


class NotFound(HeatException):
    msg_fmt = _('Not found.')

    def __init__(self, msg_fmt=None, **kwargs):
        if msg_fmt is not None:
            self.msg_fmt = msg_fmt
        super().__init__(msg_fmt=self.msg_fmt, **kwargs)

    def _fill(self, kwargs):
        # The text is given whole; a per cent sign in it is just that.
        return i18n.translated(kwargs.get('msg_fmt', self.msg_fmt))


class EntityNotFound(HeatException):
    msg_fmt = _('The %(entity)s (%(name)s) could not be found.')

    def __init__(self, entity=None, name=None, **kwargs):
        super().__init__(entity=entity, name=name, **kwargs)


class ResourceNotFound(EntityNotFound):
    msg_fmt = _('Stack %(stack_name)s has no resource (%(resource_name)s).')


class SnapshotNotFound(EntityNotFound):
    msg_fmt = _('Stack %(stack)s has no snapshot (%(snapshot)s).')


class ResourceNotAvailable(HeatException):
    msg_fmt = _('The resource (%(resource_name)s) is not available: it has '
                'not been created, or is gone.')


class PhysicalResourceNameAmbiguity(HeatException):
    msg_fmt = _('Several physical resources are named %(name)s; use the id.')


class PhysicalResourceIDAmbiguity(HeatException):
    msg_fmt = _('Several resources have the physical id %(phys_id)s.%(hint)s')
    defaults = {'hint': ''}


class PhysicalResourceExists(HeatException):
    msg_fmt = _('The physical resource %(name)s exists already.')


class InvalidTemplateVersion(HeatException):
    msg_fmt = _('The template version is invalid: %(explanation)s')


class InvalidTemplateVersions(HeatException):
    msg_fmt = _('A template has one version, not several: %(version)s.')


class InvalidTemplateSection(HeatException):
    msg_fmt = _('The template section is invalid: %(section)s')


class InvalidTemplateReference(HeatException):
    dangling = True
    msg_fmt = _('The resource "%(resource)s"%(where)s does not exist in '
                'this template.%(hint)s')
    defaults = {'hint': '', 'where': ''}

    def _format(self, kwargs):
        # The path stands in the sentence, not in front of it.
        where = path_text(self.path) or kwargs.get('key')
        return self._fill({
            **kwargs, 'where': _(' (at %s)') % where if where else ''})

    def steps_below(self, path):
        """Return the part of the key that goes on from a path."""
        rest = str(self.kwargs.get('key')).removeprefix('.'.join(path))
        return error_text.steps_of(rest)


class InvalidTemplateAttribute(HeatException):
    msg_fmt = _('Resource %(resource)s has no attribute "%(key)s".%(hint)s')
    defaults = {'hint': ''}


class TemplateOutputError(HeatException):
    msg_fmt = _('Error in %(resource)s output %(attribute)s: %(message)s')


class CircularDependencyException(HeatException):
    msg_fmt = _('These depend on each other in a circle: %(cycle)s')


class InvalidSchemaError(HeatException):
    msg_fmt = '%(message)s'


class UserParameterMissing(HeatException):
    dangling = True
    msg_fmt = _('The Parameter (%(key)s) was not provided. %(reason)s')
    defaults = {'reason': _('It has neither a value nor a default.')}


class UnknownUserParameter(HeatException):
    msg_fmt = _('The parameter (%(key)s) is not defined in the template.'
                '%(hint)s')

    def __init__(self, hint='', **kwargs):
        super().__init__(hint=hint, **kwargs)
        # In an environment, so that it is no part of the text.
        self.place_of_problem = ['parameters', kwargs.get('key')]


class ImmutableParameterModified(HeatException):
    msg_fmt = _('These parameters are immutable and cannot be changed: '
                '%(keys)s')

    __init__ = _naming('keys')


class ConflictingMergeStrategyForParam(HeatException):
    msg_fmt = _('The environment file %(env_file)s gives parameter '
                '"%(param)s" the merge strategy "%(strategy)s", an earlier '
                'file gave it another one.')


class InvalidMergeStrategyForParam(HeatException):
    msg_fmt = _('The merge strategy "%(strategy)s" of the environment file '
                '%(env_file)s does not suit parameter "%(param)s".')
    defaults = {'env_file': _UNKNOWN}


class InvalidBreakPointHook(HeatException):
    msg_fmt = '%(message)s'


class InvalidRestrictedAction(HeatException):
    msg_fmt = '%(message)s'


class InvalidGlobalResource(HeatException):
    msg_fmt = _('The global environment has no valid %(type_name)s.')


class ResourceTypeUnavailable(HeatException):
    error_code = '99001'
    msg_fmt = _('The service %(service_name)s is not available for resource '
                'type %(resource_type)s: %(reason)s')


class HeatExceptionWithPath(HeatException):
    """An error at a place: kind of error, path to the place, explanation.

    The text has the parts that are known, divided by colons.
    """

    msg_fmt = '%(error)s%(path)s%(message)s'

    def __init__(self, error=None, path=None, message=None, **kwargs):
        self.error = error or ''
        given = problem.restored({'message': message, **kwargs})
        self.error_message = '' if message is None else (
            error_text.shortened(i18n.translated(given['message'])))
        super().__init__(error=error, path=path or [], **given)

    def _format(self, kwargs):
        return error_text.located_text(self.error, self.path,
                                       self.error_message)

    @property
    def explanation(self):
        return self.error_message


class StackValidationFailed(HeatExceptionWithPath):
    """The template, its parameters or its environment are wrong."""

    def __init__(self, error=None, path=None, message=None, resource=None,
                 **kwargs):
        if resource is not None:
            path = error_text.located(resource, path or [])
        super().__init__(error=error, path=path, message=message, **kwargs)


class ResourceFailure(HeatExceptionWithPath):
    """The error of a plugin, with the resource that it concerns.

    The text form of an earlier failure, as a row's status reason has it,
    is taken apart, so that a failure in a nested stack shows one path.
    """

    def __init__(self, exception_or_error, resource=None, action=None,
                 path=None, error=None, **kwargs):
        self.resource = resource
        self.action = action or getattr(resource, 'action', None)
        self.exc = None
        if isinstance(exception_or_error, BaseException):
            error, path, message = self._from_exception(exception_or_error)
        else:
            message = str(exception_or_error)
            if not (error or path):
                error, path, message = error_text.take_apart(message)
        if resource is not None:
            path = error_text.located(resource, path)
        super().__init__(error=error, path=path, message=message)
        self.kwargs = {'exception_or_error': self.error_message,
                       'action': self.action, 'path': self.path,
                       'error': self.error}

    def _from_exception(self, exc):
        self.exc = exc
        if isinstance(exc, ResourceFailure) and exc.exc is not None:
            # The cause of a failure in a nested stack is the innermost one.
            self.exc = exc.exc
        if isinstance(exc, HeatExceptionWithPath):
            return (exc.error or type_name(exc), exc.path,
                    exc.error_message)
        return type_name(exc), [], text_of(exc)


class StackExists(HeatException):
    msg_fmt = _('The stack (%(stack_name)s) already exists.')


class ExportConflict(HeatException):
    msg_fmt = _('%(reason)s')


class SoftwareConfigInUse(HeatException):
    msg_fmt = _('Software config %(config_id)s cannot be deleted: a '
                'deployment uses it.')


class ActionInProgress(HeatException):
    msg_fmt = _('Stack %(stack_name)s already has an action (%(action)s) in '
                'progress.')


class ActionNotComplete(HeatException):
    msg_fmt = _('Stack %(stack_name)s: %(action)s has not completed.')


class StopActionFailed(HeatException):
    msg_fmt = _('Engine %(engine_id)s did not stop stack %(stack_name)s.')


class EventSendFailed(HeatException):
    msg_fmt = _('The message to stack %(stack_name)s on engine %(engine_id)s '
                'could not be delivered.')


class ConcurrentTransaction(HeatException):
    msg_fmt = _('Someone else changed the same data meanwhile: %(action)s')


class RequestLimitExceeded(HeatException):
    msg_fmt = _('Request limit exceeded: %(message)s')


class StackResourceLimitExceeded(HeatException):
    msg_fmt = _('The stack tree exceeds max_resources_per_stack.')


class DownloadLimitExceeded(HeatException):
    msg_fmt = _('Permissible download limit exceeded: %(message)s')


class NotSupported(HeatException):
    msg_fmt = _('%(feature)s is not supported.')


class Invalid(HeatException):
    msg_fmt = _('Data supplied was not valid: %(reason)s')


class InvalidContentType(HeatException):
    msg_fmt = _('Invalid content type %(content_type)s.')


class ResourceInError(HeatException):
    msg_fmt = _('Went to status %(resource_status)s due to '
                '"%(status_reason)s"')

    def __init__(self, status_reason=_UNKNOWN, **kwargs):
        super().__init__(status_reason=status_reason, **kwargs)


class ResourceUnknownStatus(HeatException):
    msg_fmt = _('%(result)s - Unknown status %(resource_status)s due to '
                '"%(status_reason)s"')

    def __init__(self, result=_RESOURCE_FAILED, status_reason=_UNKNOWN,
                 **kwargs):
        super().__init__(result=result, status_reason=status_reason,
                         **kwargs)


class ResourceActionNotSupported(HeatException):
    msg_fmt = _('%(action)s is not supported for this resource.')


class ResourceActionRestricted(HeatException):
    msg_fmt = _('The environment restricts %(action)s of this resource.')


class InvalidExternalResourceDependency(HeatException):
    msg_fmt = _('%(resource_type)s with external id %(external_id)s cannot '
                'depend on other resources.')


class ResourcePropertyConflict(HeatException):
    msg_fmt = _('These properties cannot be given together: %(props)s.')

    __init__ = _naming('props')


class PropertyUnspecifiedError(HeatException):
    msg_fmt = _('At least one of these properties must be given: %(props)s.')

    __init__ = _naming('props')


class ResourcePropertyDependency(HeatException):
    msg_fmt = _('%(prop1)s cannot be given without %(prop2)s.')


class ResourcePropertyValueDependency(HeatException):
    msg_fmt = _('%(prop1)s can only be given when %(prop2)s is %(value)s.')


class UpdateReplace(Exception):
    """Raised by a plugin: the update needs a replacement."""

    def __init__(self, resource_name='Unknown'):
        super().__init__(
            _('The Resource %s requires replacement.') % resource_name)


class UpdateInProgress(Exception):
    """The resource is being updated by another engine."""

    def __init__(self, resource_name='Unknown'):
        super().__init__(
            _('The resource %s is already being updated.') % resource_name)


class ClientNotAvailable(HeatException):
    msg_fmt = _('The client (%(client_name)s) is not available.')


class InvalidServiceVersion(HeatException):
    msg_fmt = _('Invalid version %(version)s for service %(service)s.')


class KeystoneServiceNameConflict(HeatException):
    msg_fmt = _('Keystone has more than one service named %(service)s.')


class EgressRuleNotAllowed(HeatException):
    msg_fmt = _('Egress rules need Neutron and the property VpcId.')


class InterfaceAttachFailed(HeatException):
    msg_fmt = _('Port %(port)s could not be attached to %(server)s.')


class InterfaceDetachFailed(HeatException):
    msg_fmt = _('Port %(port)s could not be detached from %(server)s.')


class UnableToAutoAllocateNetwork(HeatException):
    msg_fmt = _('Unable to automatically allocate a network: %(message)s')


class UnsupportedObjectError(HeatException):
    msg_fmt = _('Unsupported object type %(objtype)s')


class OrphanedObjectError(HeatException):
    msg_fmt = _('Cannot call %(method)s on orphaned %(objtype)s object')


class IncompatibleObjectVersion(HeatException):
    msg_fmt = _('Version %(objver)s of %(objname)s is not supported')


class ObjectActionError(HeatException):
    msg_fmt = _('Object action %(action)s failed because: %(reason)s')


class ReadOnlyFieldError(HeatException):
    msg_fmt = _('Cannot modify readonly field %(field)s')


class ObjectFieldInvalid(HeatException):
    msg_fmt = _('Field %(field)s of %(objname)s is not an instance of Field')


class InvalidEncryptionKey(HeatException):
    msg_fmt = _('Cannot decrypt stored data: auth_encryption_key is not the '
                'key it was encrypted with.')


class SIGHUPInterrupt(HeatException):
    msg_fmt = _('System SIGHUP signal received.')


class HTTPExceptionDisguise(Exception):
    """Carries a webob HTTP exception past code that would treat it.

    webob's own exceptions are responses too, and middleware between a
    controller and the fault translator might answer with them.
    """

    def __init__(self, exception):
        super().__init__(str(exception))
        self.exc = exception
        self.tb = sys.exc_info()[2]

