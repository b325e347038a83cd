"""A cloud of things, and the resource types that make them.

What a thing does is scripted by the properties of its resource, so a test
says in the template how long steps take and what fails.
"""
import itertools

from heat.engine import attributes
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from tests.fakes import shared


class FakeCloud:
    """Counts what is made and removed; remembers what each thing is like."""

    def __init__(self):
        self.things = shared.SharedDict()
        self.log = []
        self.violations = []
        self.requests = 0
        #: Called after each change, before whoever asked for it knows.
        self.on_change = None
        #: Tells which engine asks, and whether one is there (still).
        self.asking, self.is_there = (lambda: None), (lambda engine: True)
        #: Tells of the id of a thing whether it is nobody's.
        self.is_lost = lambda thing_id: False
        #: Tells whether something is there that is not a thing.
        self.is_made = lambda other_id: False
        self._lending = {}
        #: The rows that took back what they had lent to replacements.
        self.restored = set()
        self._numbers = itertools.count(1)

    def create(self, name, steps, values, owner=None):
        """Begin to make a thing and return its id.

        :param owner: whose only thing it is
        """
        thing_id = 'thing-%d' % next(self._numbers)
        self._expect_ready('create', name, values['uses'])
        if owner is not None and self.find(owner) is not None:
            self.violations.append('%s is made twice' % owner)
        self.things[thing_id] = {'name': name, 'left': steps,
                                 'owner': owner, **values}
        self._note('create', name, thing_id)
        return thing_id

    def find(self, owner):
        """Return the id of an owner's thing, or None."""
        return next((thing_id for thing_id, thing in self.things.items()
                     if thing['owner'] == owner), None)

    def _expect_ready(self, what, name, used):
        """A thing is touched only when those it uses are there."""
        for thing_id in used:
            if thing_id in self.things:
                is_made = self.things[thing_id].get('made')
            else:
                is_made = self.is_made(thing_id)
            if not is_made:
                self.violations.append('%s of %s uses %s, which is not there'
                                       % (what, name, thing_id))

    def step(self, thing_id):
        """Let a thing get on a bit; return whether it is ready."""
        thing = self.things[thing_id]
        thing['left'] = max(thing['left'] - 1, 0)
        thing['made'] = thing.get('made') or not thing['left']
        return not thing['left']

    def update(self, thing_id, steps, values):
        """Begin to change a thing."""
        thing = self.things[thing_id]
        self._expect_ready('update', thing['name'], values['uses'])
        thing.update(left=steps, **values)
        self._note('update', thing['name'], thing_id)

    def delete(self, thing_id):
        """Remove a thing; one that is gone is no error."""
        thing = self.things.pop(thing_id, None)
        if thing is not None:
            self.violations += [
                'delete of %s %s, which %s %s uses' % (
                    thing['name'], thing_id, other['name'], other_id)
                for other_id, other in self.things.items()
                if thing_id in other['uses'] and
                not self.is_lost(other_id)]
            self._note('delete', thing['name'], thing_id)

    def lend(self, thing_id):
        """Begin to give up what a replacement needs."""
        self._only_once('lend', thing_id)
        self.things[thing_id]['lent'] = True
        self._note('lend', self.things[thing_id]['name'], thing_id)

    def take_back(self, thing_id):
        """Begin to take back what was given up."""
        self._only_once('take back', thing_id)
        self.things[thing_id]['lent'] = False
        self._note('take back', self.things[thing_id]['name'], thing_id)

    def lending_is_over(self, thing_id):
        """Say that what was begun with the two above is done."""
        self._lending.pop(thing_id, None)

    def _only_once(self, what, thing_id):
        """No two engines have a thing change hands at a time."""
        engine, before = self.asking(), self._lending.get(thing_id)
        if before not in (None, engine) and self.is_there(before):
            self.violations.append('%s of %s by two engines'
                                   % (what, thing_id))
        self._lending[thing_id] = engine

    def expect_wanted(self, what, name, replaced):
        """A replacement is not made when what it replaced has come back."""
        if replaced in self.restored:
            self.violations.append(
                '%s of %s, which is to replace what has come back' % (what,
                                                                      name))

    def note(self, what, name):
        """Remember that something was asked of a resource."""
        self._note(what, name, None)

    def _note(self, *entry):
        self.requests += 1
        self.log.append(entry)
        if self.on_change is not None:
            self.on_change()


#: The cloud that all things are in; a test puts its own here.
cloud = FakeCloud()


def new_cloud():
    """Use an empty cloud from now on and return it."""
    global cloud
    cloud = FakeCloud()
    return cloud


class Thing(resource.Resource):
    """A thing in the cloud; its value can change, its size cannot."""

    support_status = support.SupportStatus(version='1.0.0')

    properties_schema = {
        'value': properties.Schema(properties.Schema.STRING, default='',
                                   update_allowed=True),
        'size': properties.Schema(properties.Schema.INTEGER, default=1),
        'model': properties.Schema(properties.Schema.STRING, default=''),
        'uses': properties.Schema(properties.Schema.LIST, default=[],
                                  update_allowed=True),
        'steps': properties.Schema(properties.Schema.INTEGER, default=0,
                                   update_allowed=True),
        'fails': properties.Schema(properties.Schema.LIST, default=[],
                                   update_allowed=True),
        'replaces_late': properties.Schema(
            properties.Schema.STRING, default='', update_allowed=True),
    }

    attributes_schema = {
        'value': attributes.Schema('What the thing is worth.'),
    }

    def _values(self, given):
        return {'value': given['value'], 'size': given['size'],
                'uses': list(given['uses'])}

    def handle_create(self):
        cloud.expect_wanted('create', self.name, self.replaces)
        self.resource_id_set(cloud.create(
            self.name, self.properties['steps'],
            self._values(self.properties), self.physical_resource_name()))
        self._fail_if_asked('create')

    def _fail_if_asked(self, what, given=None):
        if what in (given or self.properties)['fails']:
            raise ValueError('%s of %s fails' % (what, self.name))

    def check_create_complete(self, _token):
        cloud.expect_wanted('create', self.name, self.replaces)
        return cloud.step(self.resource_id)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Change the thing, unless it will turn out that this is no use."""
        after = json_snippet.properties(self.properties_schema, self.context)
        self._fail_if_asked('update', after)
        if 'replaces_late' not in prop_diff:
            cloud.update(self.resource_id, after['steps'],
                         self._values(after))
        return prop_diff

    def check_update_complete(self, prop_diff):
        if not cloud.step(self.resource_id):
            return False
        if 'replaces_late' in prop_diff:
            raise resource.UpdateReplace(self.name)
        return True

    def handle_delete(self):
        cloud.restored.discard(self.id)
        if self.resource_id is not None:
            cloud.delete(self.resource_id)

    def find_created(self):
        return cloud.find(self.physical_resource_name())

    def handle_check(self):
        cloud.note('check', self.name)
        self._require_made()
        self._fail_if_asked('check')

    def _require_made(self):
        if not cloud.things.get(self.resource_id, {}).get('made'):
            raise ValueError('%s is not there' % self.name)

    def handle_suspend(self):
        cloud.note('suspend', self.name)

    def handle_resume(self):
        cloud.note('resume', self.name)

    def handle_snapshot(self):
        cloud.note('snapshot', self.name)
        self._require_made()
        self.data_set('snapshot_of', self.resource_id)

    def handle_delete_snapshot(self, snapshot):
        cloud.note('delete snapshot', self.name)
        return [self.properties['steps']]

    def check_delete_snapshot_complete(self, left):
        left[0] -= 1
        return left[0] < 0

    def get_reference_id(self):
        return self.resource_id or self.name

    def _resolve_attribute(self, name):
        if self.resource_id in cloud.things:
            return cloud.things[self.resource_id]['value']
        return None


class SharingThing(Thing):
    """A thing whose replacement needs something that it has."""

    _looks = 0

    def prepare_for_replace(self):
        cloud.restored.discard(self.id)
        if self.resource_id in cloud.things:
            cloud.lend(self.resource_id)
            self._looks = self.properties['steps']

    def check_prepare_for_replace_complete(self, _token):
        self._looks -= 1
        if self._looks > 0:
            return False
        cloud.lending_is_over(self.resource_id)
        return True

    def restore_prev_rsrc(self, convergence=False):
        if convergence:
            cloud.restored.add(self.id)
        if self.resource_id in cloud.things:
            cloud.take_back(self.resource_id)
            self._looks = self.properties['steps']

    check_restore_prev_rsrc_complete = check_prepare_for_replace_complete


class LocalThing(resource.Resource):
    """A thing that is nowhere but in the database."""

    support_status = support.SupportStatus(version='1.0.0')
    handlers_are_local = True

    properties_schema = Thing.properties_schema
    attributes_schema = Thing.attributes_schema

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())
        return self._begin('create', self.properties)

    def _begin(self, what, given):
        if what in given['fails']:
            raise ValueError('%s of %s fails' % (what, self.name))
        return [given['steps']]

    def check_create_complete(self, left):
        left[0] -= 1
        return left[0] < 0

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Need nothing, unless it turns out that this is no use."""
        if 'replaces_late' in prop_diff:
            raise resource.UpdateReplace(self.name)
        return self._begin('update', json_snippet.properties(
            self.properties_schema, self.context))

    check_update_complete = check_create_complete

    def handle_delete(self):
        """Need nothing: the row goes."""

    def handle_check(self):
        self._begin('check', self.properties)

    def handle_snapshot(self):
        self.data_set('snapshot_of', self.resource_id)

    def get_reference_id(self):
        return self.resource_id or self.name

    def _resolve_attribute(self, name):
        return self.properties[name]


TYPES = {'Test::Thing': Thing, 'Test::SharingThing': SharingThing,
         'Test::LocalThing': LocalThing}


def register(others=None):
    """Use a global environment that has just these types, and others."""
    env = environment.Environment({}, user_env=False)
    for name, resource_class in {**TYPES, **(others or {})}.items():
        env.register_class(name, resource_class)
    environment.set_global_env(env)
