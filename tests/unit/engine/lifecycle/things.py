"""A type whose objects are made at once, and stacks of it."""
from heat.common import exception
from heat.engine import attributes
from heat.engine import properties
from heat.engine import resource
from heat.engine import translation
from heat.engine.tasks import scheduler
from tests.fakes import stack as fake_stack


class Finder:
    """A client plugin that knows one name."""

    service_types = ['things']
    extensions = {'colour'}
    has_endpoint = True

    def find(self, name):
        if name != 'known':
            raise exception.EntityNotFound(entity='Thing', name=name)
        return 'id-of-known'

    def is_not_found(self, error):
        return isinstance(error, exception.EntityNotFound)

    def is_conflict(self, error):
        return False

    def does_endpoint_exist(self, service_type, service_name):
        return self.has_endpoint

    def has_extension(self, name):
        return name in self.extensions


class Thing(resource.Resource):
    """Something with properties, attributes and a client plugin."""

    properties_schema = {
        'name': properties.Schema(properties.Schema.STRING,
                                  update_allowed=True),
        'size': properties.Schema(properties.Schema.INTEGER),
    }
    attributes_schema = {
        'map': attributes.Schema('A map.'),
        'never': attributes.Schema(
            'Not kept.', cache_mode=attributes.Schema.CACHE_NONE),
        'nothing': attributes.Schema('None.'),
        'broken': attributes.Schema('Raises.'),
    }
    #: What was made, and which attributes were asked for.
    asked = []
    plugin = Finder()

    def client_plugin(self, name=None):
        return self.plugin

    def translation_rules(self, properties):
        return [translation.TranslationRule(
            properties, translation.TranslationRule.RESOLVE, ['name'],
            client_plugin=self.plugin, finder='find')]

    def handle_create(self):
        self.asked.append(self.properties['name'])
        self.resource_id_set('phys')

    def _resolve_attribute(self, name):
        self.asked.append(name)
        if name == 'broken':
            raise OSError('down')
        if name == 'nothing':
            raise exception.EntityNotFound(entity='Thing', name='x')
        return {'map': {'a': [1, 2]}, 'never': 'n'}[name]

    def _show_resource(self):
        return {'all': True}


class Other(resource.Resource):
    """Something that may refer to anything."""

    properties_schema = {'p': properties.Schema(properties.Schema.ANY)}


OUTPUTS = {'o': {'value': {'get_attr': ['r', 'map']}}}


def make_stack(resources=None, outputs=None, name='st', props=None, **snippet):
    """Return a stack of one thing, or of other resources."""
    return fake_stack.FakeStack(
        resources or {'r': {'type': 'T::Thing', 'properties': props or {},
                            **snippet}},
        outputs=outputs, name=name,
        types={'T::Thing': Thing, 'T::Other': Other, 'T::Alias': 'T::Thing'})


def created(stack, name='r'):
    """Create a resource of a stack, and return it."""
    res = stack.stored(name)
    scheduler.TaskRunner(res.create)()
    return res
