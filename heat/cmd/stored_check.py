"""Stored stacks that this installation could not use.

Nothing is changed, and the tables may be those of an earlier revision.
"""
from collections.abc import Iterator
import pathlib
from typing import Any

from oslo_config import cfg

from heat.common import crypt
from heat.common import exception
from heat.common import startup
from heat.common.i18n import _
from heat.db import survey
from heat.engine import template
from heat.engine.language import environment_registry
from heat.engine.stacks import template_store
from heat.objects import raw_template

CONF = cfg.CONF


def unusable_stacks(context: Any) -> Iterator[str]:
    """Yield a sentence for each stack with types or functions unknown here.

    The resource types of the installation have been registered.
    """
    for row in survey.stacks(context):
        for found in _problems_of(context, row.raw_template_id):
            yield _('Stack %(name)s (%(id)s, project %(project)s): '
                    '%(found)s') % {'name': row.name, 'id': row.id,
                                    'project': row.tenant, 'found': found}


def _problems_of(context: Any, template_id: int) -> list[str]:
    try:
        row = raw_template.RawTemplate.get_by_id(context, template_id)
        return _problems(template_store.load(context, template_id, row))
    except exception.InvalidEncryptionKey:
        return [_('auth_encryption_key does not decrypt it')]
    except (exception.HeatException, ValueError) as error:
        return [startup.line(error)]


def _problems(tmpl: template.Template) -> list[str]:
    """Return what is unknown here of a template, each thing once."""
    found: dict[str, None] = {}
    resources = tmpl.t.get(tmpl.RESOURCES)
    for name, body in (resources.items() if isinstance(resources, dict)
                       else ()):
        if isinstance(body, dict):
            found.update(dict.fromkeys(_of_resource(tmpl, name, body)))
    outputs = tmpl.t.get(tmpl.OUTPUTS)
    found.update(dict.fromkeys(_unknown_functions(tmpl, outputs)))
    return list(found)


def _of_resource(tmpl: template.Template, name: str, body: dict[str, Any]
                 ) -> Iterator[str]:
    kind = body.get('type', body.get('Type'))
    if isinstance(kind, str) and not _is_known(tmpl, name, kind):
        yield _('there is no resource type %s') % kind
    yield from _unknown_functions(tmpl, body)
    try:
        tmpl.parse(None, body, (tmpl.RESOURCES, name))
    except exception.HeatException as error:
        yield startup.line(error)


def _is_known(tmpl: template.Template, name: str, kind: str) -> bool:
    """Return whether a type is there; URLs are not fetched."""
    try:
        info = tmpl.env.get_resource_info(kind, resource_name=name)
    except exception.HeatException:
        return False
    if not isinstance(info, environment_registry.TemplateResourceInfo):
        return True
    location = info.template_name
    return location in tmpl.files or '://' in location or (
        not info.user_resource and
        (pathlib.Path(CONF.template_dir) / location).is_file())


def _unknown_functions(tmpl: template.Template, snippet: Any
                       ) -> Iterator[str]:
    """Yield a sentence for each call of a function that is not there.

    A map with one key that is no function is just a map: only names that
    are functions elsewhere are looked at.
    """
    if isinstance(snippet, list):
        for each in snippet:
            yield from _unknown_functions(tmpl, each)
    elif isinstance(snippet, dict):
        if len(snippet) == 1:
            name, = snippet
            if str(name).startswith('Fn::') and name not in tmpl.functions:
                yield _('there is no function %s in its language') % name
        for each in snippet.values():
            yield from _unknown_functions(tmpl, each)


def wrong_key(context: Any) -> str | None:
    """Return what is wrong with auth_encryption_key, if anything is."""
    option = '[DEFAULT] auth_encryption_key'
    try:
        crypt.encrypt('')
    except exception.HeatException as error:
        return f'{option}: {startup.line(error)}'
    rows = ', '.join(
        _('%(number)d rows of %(table)s') % {'number': number, 'table': table}
        for table, number in survey.undecrypted(context) if number)
    if not rows:
        return None
    return _('%(option)s does not decrypt %(rows)s; is it that of the '
             'database?') % {'option': option, 'rows': rows}
