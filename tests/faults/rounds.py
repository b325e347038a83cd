"""One fault, while stacks of each driver go through operations."""
from concurrent import futures
import dataclasses
import os
import time

from tests.faults import catalogue
from tests.faults import subjects

#: Seconds from the end of a fault after which a stack counts as wedged, on a
#: machine that has nothing else to do.
PATIENCE = 60
#: Seconds in which stacks that something is wrong with have to go.
_RESCUE = 30
#: Seconds after which an engine lets go of what it holds for nothing.
_UPKEEP = 20
#: operation -> how to ask for the same once more, where that differs
_AGAIN = {'update': 'update_again'}
#: operation -> status at its end
_CHANGES = {'suspend': 'SUSPEND_COMPLETE', 'check': 'CHECK_COMPLETE',
            'snapshot': 'SNAPSHOT_COMPLETE', 'rollback': 'ROLLBACK_COMPLETE'}
ENDS = {'create': 'CREATE_COMPLETE', 'update': 'UPDATE_COMPLETE', **_CHANGES,
        'late create': 'CREATE_COMPLETE', 'delete': None}


def patience(seconds=PATIENCE):
    """Return how long these seconds are while others want the processors."""
    crowd = os.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * min(max(crowd, 1), 6)


@dataclasses.dataclass(slots=True)
class Episode:
    """What one operation of one stack came to.

    :ivar outcome: 'ok', or what is wrong: 'wedged', 'failed', 'refused',
        'cloud', 'left'; 'skipped' if it could not take place
    :ivar answer: the status that the API answered with, if it did
    :ivar refused: seconds for which it was refused with 409, while the stack
        showed no operation
    """

    fault: str
    driver: str
    database: str
    operation: str
    seed: int
    outcome: str = 'ok'
    seconds: float = 0
    answer: int | None = None
    refused: float = 0
    notes: list = dataclasses.field(default_factory=list)

    @property
    def is_good(self):
        """Return whether nothing is wrong."""
        return self.outcome in ('ok', 'skipped')

    def spoil(self, outcome, *notes):
        """Note what is wrong; what was noted first stays the outcome."""
        if self.outcome == 'ok':
            self.outcome = outcome
        self.notes += map(str, notes)


class Part:
    """The stacks of one service in one round."""

    def __init__(self, service, elder, fault, seed, site, number):
        self.service = service
        self._cloud = site.cloud
        self._fault = fault
        self._elder = elder
        self._before = len(service.exits)
        self.work = {}
        self.episodes = {}
        change = site.dice.choice(list(_CHANGES))
        for operation in ('create', 'update', change, 'delete',
                          'late create'):
            self.episodes[operation] = Episode(
                fault.name, service.driver, site.kind, operation, seed)
        self._ages = {'update': 1, change: 2, 'delete': 3}
        self._number = number

    def prepare(self):
        """See to it that there are stacks of all ages."""
        missing = []
        for operation, age in self._ages.items():
            subject = self._elder.get(age)
            if subject is None:
                subject = self._subject(
                    f's{self._number}-{age}')
                assert subject.create() == 201
                missing.append(subject)
            self.work[operation] = subject
        for subject in missing:
            end = subject.wait(time.monotonic() + patience())
            assert end[0] == 'CREATE_COMPLETE', end
        for operation in 'create', 'late create':
            self.work[operation] = self._subject(
                f's{self._number}-{operation.replace(" ", "-")}')

    def _subject(self, name):
        if self._cloud is not None:
            return self._cloud.subject(self.service, name)
        return subjects.Subject(self.service, name)

    def begin(self):
        """Ask for all operations but the late one."""
        for operation, subject in self.work.items():
            if operation != 'late create':
                self._ask(operation, subject)

    def _ask(self, operation, subject):
        if operation == 'create':
            subject.create()
            return
        before = self.service.status(subject.path)
        status = getattr(subject, operation)()
        episode, began = self.episodes[operation], time.monotonic()
        # A request whose answer was lost is repeated. If the first one ended
        # before it began anything, an engine lets its lock go soon; until
        # then a 409 is an honest refusal, and nothing that was acknowledged.
        while status == 409 and (
                self.service.status(subject.path) == before):
            episode.refused = time.monotonic() - began
            if episode.refused > patience(_UPKEEP):
                episode.spoil('refused', f'409 for {episode.refused:.0f} s')
                break
            self.service.pause(1)
            status = getattr(subject, _AGAIN.get(operation, operation))()
        episode.answer = status
        if status not in (200, 202, 204, 404, 409):
            episode.spoil('refused', status)

    def create_late(self):
        """Ask for a stack while the fault lasts."""
        self.work['late create'].create(timeout=20)

    # -- afterwards ----------------------------------------------------------

    def settle(self):
        """Wait for the ends of all operations, and look at what is left."""
        began = time.monotonic()
        until = began + patience()
        for operation in 'create', 'late create':
            self._find(operation, until)
        for operation, subject in self.work.items():
            episode = self.episodes[operation]
            if not episode.is_good:
                continue
            try:
                self._judge(operation, subject, until)
            except AssertionError as error:
                episode.spoil('refused', error)
            episode.seconds = time.monotonic() - began
        if all(each.is_good for each in self.episodes.values()):
            left = self.service.tidy(patience(30))
            for text in left:
                self._charge(text)

    def _find(self, operation, until):
        """Find a stack whose answer was lost, or ask for it once more."""
        subject = self.work[operation]
        episode = self.episodes[operation]
        try:
            if subject.path is None and not subject.find():
                while (status := subject.create()) != 201:
                    if status == 409 and subject.find():
                        break
                    assert status is None or status >= 500, status
                    assert time.monotonic() < until, status
                    self.service.pause(1)
        except AssertionError as error:
            episode.spoil('refused', error)

    def _judge(self, operation, subject, until):
        episode = self.episodes[operation]
        expected = ENDS[operation]
        state = subject.wait(until)
        if state is not None and state[0].endswith('IN_PROGRESS'):
            episode.spoil('wedged', *state)
            return
        if (state and state[0]) != expected:
            self._judge_failure(operation, subject, state, episode)
            if not episode.is_good:
                return
        is_mended = bool(episode.notes)
        if is_mended:
            episode.notes += [
                f'kill between the answer and the write of {name}'
                for name in subject.replaced()]
        found = subject.faults_of_cloud(expected is None, is_mended)
        if self.service.is_convergent and 'create' in operation:
            found += subject.repeated_events()
        if found:
            episode.spoil('cloud', *found)

    def _judge_failure(self, operation, subject, state, episode):
        """Only some stacks may fail, and all of them can be mended."""
        if state is None:
            episode.spoil('failed', 'it is gone')
            return
        with_engine = not self.service.is_convergent and (
            self._fault.ends_engines or
            len(self.service.exits) > self._before)
        if not (with_engine or self._fault.may_fail):
            episode.spoil('failed', *state, f'asked: {episode.answer}')
            return
        episode.notes.append(f'{state[0]}, then mended')
        problem = mend(operation, subject)
        if problem:
            episode.spoil('failed', *state, problem)

    def _charge(self, text):
        """Note what is left with the operation that left it."""
        for operation, subject in self.work.items():
            if subject.path and subject.stack_id in text:
                self.episodes[operation].spoil('left', text)
                return
        self.episodes['create'].spoil('left', text)

    def rescue(self):
        """Delete all stacks; return whether nothing is left of them."""
        until = time.monotonic() + patience(_RESCUE)
        known = [subject for subject in self.work.values() if subject.path]
        try:
            for subject in known:
                subject.delete()
            gone = all(subject.wait(until) is None for subject in known)
        except AssertionError:
            return False
        return gone and not self.service.tidy(5)

    def elder(self):
        """Return {age: stack} for the next round; delete what is over.

        :returns: None if the service is not to be used any more
        """
        if not all(each.is_good for each in self.episodes.values()):
            return None
        ages = {age + 1: self.work[operation] for operation, age in
                [('create', 0), *self._ages.items()] if age < 3}
        late = self.work['late create']
        late.delete()
        state = late.wait(time.monotonic() + patience())
        if state is not None or late.faults_of_cloud(is_gone=True):
            self.episodes['late create'].spoil('failed', 'delete', state)
            return None
        return ages


def mend(operation, subject):
    """Repeat an operation that has failed; return what is wrong or None."""
    until = time.monotonic() + patience()
    if operation in ('create', 'late create'):
        subject.delete()
        state = subject.wait(until)
        if state is not None:
            return f'delete: {state}'
        left = subject.faults_of_cloud(is_gone=True)
        if left:
            return f'after the delete: {left}'
        assert subject.create() == 201
        expected = 'CREATE_COMPLETE'
    else:
        again = {'update': 'update_again', 'rollback': 'update_again'}.get(
            operation, operation)
        getattr(subject, again)()
        expected = 'UPDATE_COMPLETE' if again == 'update_again' else ENDS[
            operation]
    state = subject.wait(until)
    if (state and state[0]) != expected:
        return f'again: {state}'
    return None


class Story:
    """Rounds at one site, one after another."""

    def __init__(self, site, seed):
        self.site = site
        self._seed = seed
        self._elder = {}
        self._number = 0

    def round(self, fault):
        """Let a fault happen; return the episodes."""
        self._number += 1
        site = self.site
        reason = fault.available(site)
        if reason:
            return [Episode(fault.name, service.driver, site.kind, 'all',
                            self._seed, 'skipped', notes=[reason])
                    for service in site.services]
        course = catalogue.Course(fault, site)
        try:
            parts = self._parts(fault)
            course.prepare()
            for service in site.services:
                service.wait_until_up()
            self._pass_through(course, fault, parts)
        finally:
            course.clear()
        for part in parts:
            self._elder[part.service.driver] = part.elder()
        for part in parts:
            if self._elder[part.service.driver] is None:
                if not part.rescue():
                    site.replace(part.service)
                self._elder[part.service.driver] = {}
        return [each for part in parts for each in part.episodes.values()]

    def _parts(self, fault):
        parts = [Part(service, self._elder.get(service.driver) or {}, fault,
                      self._seed, self.site, self._number)
                 for service in self.site.services]
        with futures.ThreadPoolExecutor() as pool:
            _each(pool, [part.prepare for part in parts])
        return parts

    def _pass_through(self, course, fault, parts):
        """Begin the operations, let the fault pass, wait for the ends."""
        site = self.site
        with futures.ThreadPoolExecutor() as pool:
            begun = [pool.submit(part.begin) for part in parts]
            site.pause(site.dice.uniform(0.3, 3))
            late = [pool.submit(part.create_late) for part in parts]
            course.begin()
            site.pause(fault.seconds)
            course.end()
            for each in begun + late:
                each.result()
            _each(pool, [part.settle for part in parts])


def _each(pool, functions):
    """Call functions side by side; raise what one of them raises."""
    for each in [pool.submit(function) for function in functions]:
        each.result()
