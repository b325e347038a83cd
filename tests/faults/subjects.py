"""The stacks that meet faults, and what must be true of them afterwards."""
import collections
import time

from tests.integration import ledger as ledger_module
from tests.integration import templates

WIDTH, LAYERS = 4, 3
#: Seconds that each thing takes to be made or changed.
SECONDS = 0.6


def _things(ledger, generation):
    """Return definitions of things in layers that need each other."""
    resources = {}
    for layer in range(LAYERS):
        for place in range(WIDTH):
            needs = [f't{layer - 1}{(place + step) % WIDTH}'
                     for step in range(2)] if layer else []
            resources[f't{layer}{place}'] = ledger.leaf(
                needs, seconds=SECONDS,
                value=str(generation if place % 2 else 0))
    # Each generation has one thing that no other has.
    resources[f'own{generation}'] = ledger.leaf(
        ['t00'], seconds=SECONDS, value='own')
    return resources


class Subject:
    """A stack with a group inside, and the things that it is made of.

    :ivar generation: number of the template that it has or is to have
    """

    def __init__(self, service, name, size=None):
        self.service = service
        self.name = name
        self.ledger = ledger_module.Ledger(
            service.directory / 'things' / name)
        self.generation = 1
        self.path = None
        self._size = size
        self._judged = 0

    @property
    def stack_id(self):
        """Return the id of the stack."""
        return self.path.split('/')[-1]

    def template(self, fails=False):
        """Return the template of the generation.

        :param fails: add a resource that cannot be created
        """
        if self._size is not None:
            return {'heat_template_version': templates.VERSION, 'resources': {
                f'r{number}': self.ledger.leaf()
                for number in range(self._size)}}
        resources = _things(self.ledger, self.generation)
        resources['group'] = {
            'type': 'OS::Heat::ResourceGroup', 'depends_on': ['t01'],
            'properties': {'count': 1 + self.generation % 2,
                           'resource_def': self.ledger.leaf(seconds=0.3)}}
        if fails:
            resources['bad'] = {
                'type': 'OS::Heat::TestResource', 'depends_on': ['group'],
                'properties': {'fail': True}}
        return {'heat_template_version': templates.VERSION,
                'resources': resources}

    def body(self, **more):
        """Return the body of a request to create or update the stack."""
        return {'template': self.template(**more)}

    # -- operations: each returns the status of the answer -------------------

    def create(self, timeout=None):
        """Ask for the stack once."""
        status, answer = self.service.attempt(
            'POST', '/stacks', {'stack_name': self.name, **self.body()},
            **({'timeout': timeout} if timeout else {}))
        if status == 201:
            self.path = f'/stacks/{self.name}/{answer["stack"]["id"]}'
        return status

    def update(self):
        """Ask for the next generation."""
        self.generation += 1
        return self._put(self.body())

    def update_again(self):
        """Ask for the present generation."""
        return self._put(self.body())

    def rollback(self):
        """Ask for something that fails and is to be rolled back."""
        return self._put({**self.body(fails=True),
                          'disable_rollback': False})

    def _put(self, body):
        return self.service.insist('PUT', self.path, body)[0]

    def delete(self):
        """Ask for the end of the stack."""
        return self.service.insist('DELETE', self.path)[0]

    def _act(self, action):
        return self.service.insist('POST', f'{self.path}/actions',
                                   {action: None})[0]

    def suspend(self):
        """Ask for all to be suspended."""
        return self._act('suspend')

    def resume(self):
        """Ask for all to be resumed."""
        return self._act('resume')

    def check(self):
        """Ask for all to be checked."""
        return self._act('check')

    def snapshot(self):
        """Ask for a snapshot."""
        return self.service.insist('POST', f'{self.path}/snapshots',
                                   {'name': 'one'})[0]

    # -- what must be true afterwards ----------------------------------------

    def find(self):
        """Look for the stack by its name; return whether there is one."""
        found = self.service.insist('GET', '/stacks',
                                    name=self.name)[1]['stacks']
        assert len(found) < 2, f'{len(found)} stacks {self.name}'
        if found:
            self.path = f'/stacks/{self.name}/{found[0]["id"]}'
        return bool(found)

    def wait(self, until):
        """Return (status, reason) at the end of an operation.

        None is for a stack that is gone. What is in progress at the time
        when to give up is returned as it is.
        """
        while True:
            state = self.service.status(self.path, until + 30)
            if state is None or not state[0].endswith('IN_PROGRESS'):
                return state
            if time.monotonic() > until:
                return state
            self.service.pause(0.3)

    def faults_of_cloud(self, is_gone, is_mended=False):
        """Return how what there is differs from what should be, as texts.

        :param is_mended: whether an operation failed with its engine and was
            repeated: what replaced() tells is no fault then
        """
        things = self.things()
        excused = self.replaced() if is_mended else ()
        found = [f'{call} {count} times {name}' for (call, name), count in
                 self.doubled().items() if name not in excused]
        # What is judged once is not held against later episodes.
        self._judged = len(self.ledger.calls('create', 'delete'))
        if is_gone:
            return found + [f'orphan {one}' for one in sorted(things)]
        rows = self.service.insist(
            'GET', f'{self.path}/resources', nested_depth=2)[1]['resources']
        known = {row['physical_resource_id'] for row in rows
                 if self.is_thing(row)}
        names = sorted(row['resource_name'] for row in rows)
        expected = sorted([*self.template()['resources'], *self.members()])
        if names != expected:
            found.append('resources ' + ' '.join(
                sorted(set(names) ^ set(expected))))
        found += [f'orphan {one}' for one in sorted(things - known)]
        found += [f'lost {one}' for one in sorted(known - things)]
        found += [f'{row["resource_name"]} {row["resource_status"]}'
                  for row in rows
                  if not row['resource_status'].endswith('COMPLETE')]
        return found

    def things(self):
        """Return the ids of all things of the stack that there are."""
        return {path.name.removeprefix('thing-') for path in
                self.ledger.directory.glob('thing-*')}

    @staticmethod
    def is_thing(row):
        """Return whether a resource has something in the cloud."""
        return row['resource_type'].startswith('Ledger::')

    def members(self):
        """Return names of resources in nested stacks."""
        if self._size is not None:
            return []
        return map(str, range(1 + self.generation % 2))

    def doubled(self):
        """Return {(call, name): number} of what was made repeatedly.

        What was deleted between may be made again. Calls of episodes before
        this one count, but what they made repeatedly is told there.
        """
        there, doubled = collections.Counter(), {}
        for number, call in enumerate(self.ledger.calls('create', 'delete')):
            key = call['stack'], call['name']
            if call['call'] == 'create':
                there[key] += 1
                if there[key] > 1 and number >= self._judged:
                    doubled['create', call['name']] = there[key]
            else:
                there[key] = 0
        return doubled

    def replaced(self):
        """Return names of what was made twice, and is there once at most.

        An engine that is killed between the answer of the cloud and the
        write of the physical id leaves something that no row knows. Under a
        lock the resource fails, and the operation that is repeated replaces
        it: the new thing is made before the old one, which the plugin finds
        by its name, is deleted. What is left over shows as an orphan.
        """
        left = collections.defaultdict(set)
        deleted = {call['thing'] for call in self.ledger.calls('delete')}
        for call in self.ledger.calls('create'):
            left[call['name']] |= {call['thing']} - deleted
        return sorted({name for _call, name in self.doubled()
                       if len(left[name]) <= 1})

    def repeated_events(self):
        """Return events of the stack's creation that came repeatedly."""
        events, marker = [], {}
        while True:
            page = self.service.insist(
                'GET', f'{self.path}/events', limit=400, sort_dir='asc',
                sort_keys='event_time', **marker)[1]['events']
            events += page
            if len(page) < 400:
                break
            marker = {'marker': page[-1]['id']}
        counts = collections.Counter(
            (event['resource_name'], event['resource_status'])
            for event in events
            if event['resource_status'] == 'CREATE_COMPLETE')
        return [f'{count} events {status} of {name}'
                for (name, status), count in counts.items() if count > 1]
