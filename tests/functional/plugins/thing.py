"""Resource types of a third party, for the functional tests.

Only names of the documented plugin interface are used. What a thing does
is told by its properties; a test opens gates to let it go on.
"""
from heat.common import exception
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support

#: Gates that are open: what waits at one of them goes on. With EVERY among
#: them nothing waits any more, and nothing fails.
opened = set()
EVERY = '*'

#: (action, resource name) by project, in the order it happened.
log = {}

#: Things that exist, by physical id.
things = {}


class Thing(resource.Resource):
    """Something that is there at once, or waits, or fails."""

    support_status = support.SupportStatus(version='1.0.0')

    ACTIONS = ['CREATE', 'UPDATE', 'DELETE', 'CHECK', 'SUSPEND', 'RESUME',
               'SNAPSHOT']

    properties_schema = {
        'value': properties.Schema(
            properties.Schema.STRING, 'What it is worth.', default='',
            update_allowed=True),
        'fixed': properties.Schema(
            properties.Schema.STRING, 'What makes it another thing.'),
        'stone': properties.Schema(
            properties.Schema.STRING, 'What never changes.',
            immutable=True),
        'fail': properties.Schema(
            properties.Schema.LIST, 'The actions that fail.', default=[],
            update_allowed=True,
            constraints=[constraints.AllowedValues(ACTIONS)]),
        'flaky': properties.Schema(
            properties.Schema.INTEGER, 'How many attempts to create it '
            'fail.', default=0, update_allowed=True,
            constraints=[constraints.Range(min=0, max=9)]),
        'gate': properties.Schema(
            properties.Schema.STRING, 'Where it waits.',
            update_allowed=True),
        'gated': properties.Schema(
            properties.Schema.LIST, 'The actions that wait.',
            default=['CREATE', 'UPDATE'], update_allowed=True),
    }

    attributes_schema = {
        'value': attributes.Schema('What it is worth.',
                                   type=attributes.Schema.STRING),
        'details': attributes.Schema('All that is known.',
                                     type=attributes.Schema.MAP),
    }

    def _do(self, action, props):
        log.setdefault(self.context.project_id, []).append((action, self.name))
        if action in props['fail'] and EVERY not in opened:
            raise ValueError('%s of %s went wrong' % (action, self.name))
        return props['gate'] if action in props['gated'] else None

    def _is_open(self, gate):
        return not gate or gate in opened or EVERY in opened

    check_create_complete = check_update_complete = _is_open
    check_delete_complete = check_suspend_complete = _is_open
    check_resume_complete = check_check_complete = _is_open
    check_snapshot_complete = _is_open

    def check_adopt_complete(self, _none):
        return self._is_open('ADOPT' in self.properties['gated'] and
                             self.properties['gate'])

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())
        gate = self._do('CREATE', self.properties)
        tries = int(self.data().get('tries', 0)) + 1
        self.data_set('tries', str(tries))
        if tries <= self.properties['flaky']:
            raise exception.ResourceInError(resource_status='ERROR',
                                            status_reason='not this time')
        things[self.resource_id] = self.properties['value']
        return gate

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        after = json_snippet.properties(self.properties_schema,
                                        self.context)
        gate = self._do('UPDATE', after)
        things[self.resource_id] = after['value']
        if tmpl_diff.metadata_changed():
            self.metadata_set(json_snippet.metadata())
        return gate

    def handle_delete(self):
        if self.resource_id is None:
            return None
        gate = self._do('DELETE', self.properties)
        things.pop(self.resource_id, None)
        return gate

    def handle_suspend(self):
        return self._do('SUSPEND', self.properties)

    def handle_resume(self):
        return self._do('RESUME', self.properties)

    def handle_check(self):
        return self._do('CHECK', self.properties)

    def handle_snapshot(self):
        gate = self._do('SNAPSHOT', self.properties)
        self.data_set('kept', things.get(self.resource_id, ''))
        return gate

    def handle_delete_snapshot(self, snapshot):
        log.setdefault(self.context.project_id, []).append(
            ('DELETE_SNAPSHOT', self.name))

    def handle_restore(self, defn, restore_data):
        props = dict(defn.properties(self.properties_schema).data)
        props['value'] = restore_data['resource_data']['kept']
        return defn.freeze(properties=props)

    def handle_signal(self, details=None):
        if details == {'nothing': True}:
            raise resource.NoActionRequired(self.name, 'told so')
        self.data_set('signal', str(details))
        return 'thanks for %s' % details

    def _resolve_attribute(self, name):
        value = things.get(self.resource_id)
        if name == 'value':
            return value
        return {'id': self.resource_id, 'value': value,
                'list': ['a', 'b']}


class Broken(Thing):
    """Something one part of which cannot be read."""

    attributes_schema = {
        **Thing.attributes_schema,
        'broken': attributes.Schema('What cannot be read.'),
    }

    def _resolve_attribute(self, name):
        if name == 'broken':
            raise ValueError('the meter is out of order')
        return super()._resolve_attribute(name)


class Rich(Thing):
    """Something that has all the optional handlers."""

    def handle_snapshot_delete(self, state):
        log.setdefault(self.context.project_id, []).append(
            ('SNAPSHOT_DELETE', self.name, *state))
        things.pop(self.resource_id, None)

    def get_live_resource_data(self):
        if self.resource_id not in things:
            raise exception.EntityNotFound(entity='Thing',
                                           name=self.resource_id)
        return {'value': things[self.resource_id]}

    def handle_check(self):
        if self.resource_id not in things:
            raise exception.EntityNotFound(entity='Thing',
                                           name=self.resource_id)
        return super().handle_check()

    def handle_create_cancel(self, gate):
        log.setdefault(self.context.project_id, []).append(
            ('CANCEL', self.name))

    handle_update_cancel = handle_create_cancel


class Mirror(Thing):
    """Something whose attributes are what its properties say now."""

    attributes_schema = {
        'value': attributes.Schema('What its property says.',
                                   cache_mode=attributes.Schema.CACHE_NONE),
    }

    def _resolve_attribute(self, name):
        return self.properties[name]


class Moody(Thing):
    """Something that finds out during an update that it has to be replaced.
    """

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        raise resource.UpdateReplace(self.name)


class Deaf(resource.Resource):
    """Nothing is possible with it but to be."""

    properties_schema = {}


def resource_mapping():
    return {'Test::Thing': Thing, 'Test::Broken': Broken,
            'Test::Rich': Rich, 'Test::Mirror': Mirror,
            'Test::Deaf': Deaf, 'Test::Moody': Moody}
