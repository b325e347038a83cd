"""Descriptions of resource types for users."""
import inspect

from heat.common import exception
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.sandbox import pattern as patterns


def summary(obj):
    """Return the first paragraph of a docstring, on one line."""
    doc = inspect.getdoc(obj) or ''
    return ' '.join(doc.split('\n\n')[0].split())


def _is_usable(context, cls):
    # A fault of a plugin hides its type only.
    return _availability(context, cls)[0]


def description(context, cls):
    """Return what a type is for, and which service it lacks."""
    return ' '.join(filter(None, (missing_service(context, cls),
                                  summary(cls))))


def missing_service(context, cls):
    """Return which service a type needs and lacks, '' if none."""
    if _is_usable(context, cls):
        return ''
    if not cls.default_client_name:
        return _('Not available here.')
    message = _('Needs the service %s') % cls.default_client_name
    if cls.required_service_extension:
        message += _(' (%s)') % cls.required_service_extension
    return message + '.'


def _is_allowed(context, enforcer, name):
    try:
        return enforcer.enforce(context, name)
    except exception.Forbidden:
        return False


def available(context, env, enforcer, *, support_status=None,
              type_name=None, version=None, unusable=False):
    """Return {name: class} of the types a user may see and use.

    :param support_status: only types of this status; hidden ones never.
    :param type_name: a regular expression matched at the start.
    :param unusable: whether to include types whose service is missing.
    :raises Invalid: the support status is not one.
    """
    if support_status is not None and (
            support_status not in support.SUPPORT_STATUSES):
        raise exception.Invalid(
            reason=_('the support status must be one of %s')
            % (list(support.SUPPORT_STATUSES),))
    try:
        pattern = patterns.compiled(type_name) if type_name else None
    except ValueError:
        return {}
    found = {}
    for name, cls in env.registered_classes().items():
        status = cls.support_status
        if status.status == support.HIDDEN:
            continue
        if support_status and status.status != support_status.upper():
            continue
        if version and status.version != version:
            continue
        if pattern and not _begins(pattern, name):
            continue
        if _is_allowed(context, enforcer, name) and (
                unusable or _is_usable(context, cls)):
            found[name] = cls
    return found


def _begins(pattern, name):
    """Return whether a pattern matches the beginning of a name."""
    try:
        return pattern.begins(name)
    except ValueError as error:
        raise exception.Invalid(reason=str(error)) from error


def find(context, env, type_name, enforcer, *, needs_service=True):
    """Return the class of a type.

    :param needs_service: whether the service that it needs has to be there.
    :raises EntityNotFound: there is no such type.
    :raises NotSupported: the type is hidden.
    :raises Forbidden: the policy denies it.
    :raises ResourceTypeUnavailable: its service is not there.
    """
    for name in sorted(env.policy_names(type_name)):
        enforcer.enforce(context, name)
    try:
        cls = env.get_class(type_name)
    except exception.NotFound:
        raise exception.EntityNotFound(
            entity='Resource Type', name=type_name) from None
    if cls.support_status.status == support.HIDDEN:
        raise exception.NotSupported(feature=type_name)
    if not needs_service:
        return cls
    usable, reason = _availability(context, cls)
    if not usable:
        raise exception.ResourceTypeUnavailable(
            service_name=cls.default_client_name, resource_type=type_name,
            reason=reason)
    return cls


def _availability(context, cls):
    try:
        return cls.is_service_available(context)
    except Exception as error:  # noqa: BLE001 (told to the user below)
        return False, type(error).__name__


def schema(type_name, cls, with_description=False):
    """Return the schema of a type as `resource type show` prints it.

    What is hidden is left out, and so are properties without effect.
    """
    props = {
        name: dict(each)
        for name, each in properties.schemata(cls.properties_schema).items()
        if each.implemented and not _is_hidden(each)}
    attrs = {
        name: dict(each) for name, each in {
            **cls.base_attributes_schema, **cls.attributes_schema}.items()
        if not _is_hidden(each)}
    result = {
        'resource_type': type_name,
        'properties': props,
        'attributes': attrs,
        'support_status': cls.support_status.to_dict(),
    }
    if with_description:
        result['description'] = cls.getdoc()
    return result


def _is_hidden(each):
    return each.support_status.status == support.HIDDEN
