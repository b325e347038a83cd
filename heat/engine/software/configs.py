"""Software configs as the engine keeps them.

A config never changes once it is stored.
"""
from oslo_config import cfg

from heat.common import exception
from heat.common.i18n import _
from heat.engine import software_config_io
from heat.objects import software_config as config_objects
from heat.rpc import api as rpc_api

#: The group of configs that say no other.
UNGROUPED = 'Heat::Ungrouped'
#: The group of configs that consist of several, one for each action.
COMPONENT = 'component'

#: How many characters the columns of the name and the group hold.
_TEXT_LENGTH = 255


def get(context, config_id):
    """Return a config of the project; NotFound if there is none."""
    row = config_objects.SoftwareConfig.get_by_id(context, config_id)
    if row is None:
        raise not_found(_('Software config'), config_id)
    return row


def not_found(what, its_id):
    """Return the error for an id that nothing of the project has."""
    return exception.NotFound(_('%(what)s with id %(id)s not found.')
                              % {'what': what, 'id': its_id})


def require_length(limit, **texts):
    """Raise Invalid for the first text that no column holds."""
    for name, text in texts.items():
        if isinstance(text, str) and len(text) > limit:
            raise exception.Invalid(reason=_(
                '%(name)s has %(length)d characters, at most %(limit)d '
                'are allowed') % {'name': name, 'length': len(text),
                                  'limit': limit})


def create(context, *, group, name, config, inputs=None, outputs=None,
           options=None):
    """Store a config and return it.

    :raises Invalid: the name or the group is too long.
    """
    require_length(_TEXT_LENGTH, name=name, group=group)
    require_room(context, config_objects.SoftwareConfig,
                 'max_software_configs_per_tenant')
    return config_objects.SoftwareConfig.create(context, {
        'group': group,
        'name': name,
        'config': {
            rpc_api.SOFTWARE_CONFIG_INPUTS:
                software_config_io.inputs(inputs),
            rpc_api.SOFTWARE_CONFIG_OUTPUTS:
                software_config_io.outputs(outputs),
            rpc_api.SOFTWARE_CONFIG_OPTIONS: options or {},
            rpc_api.SOFTWARE_CONFIG_CONFIG: config,
        },
        'tenant': context.project_id,
    })


def delete(context, config_id):
    """Delete a config.

    :raises SoftwareConfigInUse: a deployment uses it (a conflict).
    """
    # Nobody deletes what is another project's.
    get(context, config_id)
    deleted = config_objects.SoftwareConfig.delete(context, config_id)
    if deleted is None:
        raise exception.SoftwareConfigInUse(config_id=config_id)
    if not deleted:
        raise not_found(_('Software config'), config_id)


def part(row, key):
    """Return one part of a config: its text, inputs, outputs, options."""
    return (row.config or {}).get(key)


def require_room(context, records, option):
    """Raise RequestLimitExceeded when a project has its number already.

    Administrators have no limit.
    """
    limit = cfg.CONF[option]
    if context.is_admin or limit == -1:
        return
    if records.count_all(context) >= limit:
        raise exception.RequestLimitExceeded(message=_(
            'You have reached the limit of %(option)s, %(limit)d. Please '
            'delete some.') % {'option': option, 'limit': limit})
