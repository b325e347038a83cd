"""Resources of types that this engine does not know any more."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine.language import type_lookup
from heat.engine.resources.openstack.heat import none_resource


class MissingResource(none_resource.NoneResource):
    """A stored resource whose plugin is gone.

    It can be shown, and forgotten. Whatever would take its plugin fails.
    """

    @classmethod
    def check_is_substituted(cls, new_res_type):
        """Return whether a class takes over: the one that does nothing."""
        return new_res_type is none_resource.NoneResource

    def validate(self):
        """Refuse a template that names the type, as if it were new."""
        type_lookup.class_of(self.t, self.stack, lambda: False)

    def _refuse(self, *_args, **_kwargs):
        """Fail: nobody knows how, not even how to compare it."""
        raise exception.Error(_(
            'The type %(type)s of resource "%(name)s" is not known to this '
            'engine. Have the plugin of the type installed on all engines '
            'again and repeat this; or, to leave behind what was made, '
            'first update the stack with an environment whose '
            'resource_registry maps %(type)s to OS::Heat::None.') % {
                'type': self.type(), 'name': self.name})

    handle_create = handle_update = handle_delete = handle_adopt = _refuse
    handle_suspend = handle_resume = handle_signal = _refuse
    handle_check = handle_snapshot = _needs_update = _refuse


def register(env):
    """Have this stand for stored resources of unknown types."""
    env.register_stand_in(MissingResource)
