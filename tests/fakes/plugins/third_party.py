"""A plugin as a third party writes it: only documented names are used."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class Lamp(resource.Resource):
    """A lamp that shines in a colour."""

    support_status = support.SupportStatus(version='1.0.0')

    PROPERTIES = (COLOUR, WATTS) = ('colour', 'watts')

    properties_schema = {
        COLOUR: properties.Schema(
            properties.Schema.STRING, _('The colour.'), required=True,
            update_allowed=True,
            constraints=[constraints.AllowedValues(['red', 'green'])]),
        WATTS: properties.Schema(
            properties.Schema.INTEGER, _('The power.'), default=40,
            constraints=[constraints.CustomConstraint('lamp.watts')]),
    }

    attributes_schema = {
        'shines': attributes.Schema(_('What it looks like.'),
                                    type=attributes.Schema.STRING),
    }

    #: The lamps that there are, by physical id.
    lamps = {}

    def handle_create(self):
        name = self.physical_resource_name()
        self.resource_id_set(name)
        self.lamps[name] = {'colour': self.properties[self.COLOUR],
                            'polls': 2}
        return name

    def check_create_complete(self, name):
        lamp = self.lamps[name]
        lamp['polls'] -= 1
        return lamp['polls'] == 0

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        if self.COLOUR in prop_diff:
            self.lamps[self.resource_id]['colour'] = prop_diff[self.COLOUR]
        if tmpl_diff.metadata_changed():
            self.metadata_set(json_snippet.metadata())

    def handle_delete(self):
        if self.resource_id is not None:
            self.lamps.pop(self.resource_id, None)

    def handle_signal(self, details=None):
        if details == 'nothing':
            raise resource.NoActionRequired(self.name, 'told so')
        self.data_set('signal', str(details))
        return 'got %s' % details

    def handle_check(self):
        self._verify_check_conditions([
            {'attr': 'there', 'expected': True,
             'current': self.resource_id in self.lamps}])

    def _resolve_attribute(self, name):
        return 'shining %s' % self.lamps[self.resource_id]['colour']

    def get_reference_id(self):
        return 'lamp:%s' % self.resource_id


class Unavailable(resource.Resource):
    """Not offered: the other mapping counts."""

    properties_schema = {}


class EvenWatts(constraints.BaseCustomConstraint):
    """Only even numbers of watts are sold."""

    def validate(self, value, context):
        self._error_message = 'odd'
        return value % 2 == 0


def resource_mapping():
    return {'Example::Lamp': Lamp, 'Example::Unavailable': Unavailable}


def available_resource_mapping():
    return {'Example::Lamp': Lamp}


def constraint_mapping():
    return {'lamp.watts': EvenWatts}
