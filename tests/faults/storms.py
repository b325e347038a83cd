"""Many stacks at once: rolling restarts, and turns between tenants' stacks."""
from concurrent import futures
import math
import time

from tests.faults import rounds
from tests.faults import subjects

#: Clients that ask at the same time.
_CLIENTS = 6
_ROLLING = 40
_MANY = 300
#: Seconds that many stacks may take altogether.
_LONG = 900
#: Seconds in which a client has an answer to a create under any backlog; more
#: than the service promises, for the machine runs the test as well.
ANSWERED_IN = 15


def rolling_restart(service, kind, seed):
    """Restart each engine in turn while stacks are created; an Episode."""
    episode = rounds.Episode('rolling restart', service.driver, kind,
                             f'{_ROLLING} creates', seed)
    stacks = [subjects.Subject(service, f'roll{number}', size=4)
              for number in range(_ROLLING)]
    began = time.monotonic()
    with futures.ThreadPoolExecutor(_CLIENTS) as pool:
        asked = [pool.submit(_create, each) for each in stacks]
        for host in sorted(service.engines):
            service.renew(host)
            service.wait_until_up()
        for each in asked:
            each.result()
    _require_all(service, stacks, episode, began,
                 may_fail=not service.is_convergent)
    return episode


def _create(subject):
    """Create a stack, however often its answer is lost; return seconds."""
    began = time.monotonic()
    while (status := subject.create()) != 201:
        if status == 409 and subject.find():
            break
        if status is not None and status < 500:
            raise AssertionError(f'{subject.name}: {status}')
        subject.service.pause(1)
    return time.monotonic() - began


def _require_all(service, stacks, episode, began, may_fail=False):
    """Note stacks that do not end well, and what they leave."""
    until = began + _LONG
    for subject in stacks:
        state = subject.wait(until)
        if may_fail and state and state[0] == 'CREATE_FAILED':
            episode.notes.append(f'{subject.name} failed, then mended')
            problem = rounds.mend('create', subject)
            if problem:
                episode.spoil('failed', problem)
        elif state is None or state[0] != 'CREATE_COMPLETE':
            episode.spoil('wedged' if state and state[0].endswith(
                'IN_PROGRESS') else 'failed', subject.name, state)
        else:
            found = subject.faults_of_cloud(is_gone=False)
            if found:
                episode.spoil('cloud', subject.name, *found)
    episode.seconds = time.monotonic() - began
    _delete_all(service, stacks, episode)


def _delete_all(service, stacks, episode):
    for subject in stacks:
        subject.delete()
    until = time.monotonic() + _LONG
    for subject in stacks:
        state = subject.wait(until)
        if state is not None:
            episode.spoil('failed', 'delete', subject.name, state)
        elif subject.things():
            episode.spoil('cloud', 'orphans of', subject.name)
    left = service.tidy()
    if left:
        episode.spoil('left', *left)


def many(service, kind, seed, number=_MANY):
    """Create very many stacks, and a few later ones; return an Episode.

    The later ones get their answers soon, and do not wait for all that came
    before them.
    """
    episode = rounds.Episode('very many stacks', service.driver, kind,
                             f'{number} creates', seed)
    backlog = [subjects.Subject(service, f'many{each}', size=3)
               for each in range(number)]
    late = [subjects.Subject(service, f'late{each}', size=2)
            for each in range(5)]
    began = time.monotonic()
    with futures.ThreadPoolExecutor(_CLIENTS) as pool:
        asked = [pool.submit(_create, each) for each in backlog]
        _wait_for_quarter(asked)
        answers = []
        for subject in late:
            answers.append(_create(subject))
            subject.service.pause(1)
        before = _ahead_of(late, backlog, began + _LONG, asked)
    episode.notes.append('answers after at most %.1f s; %d of %d stacks '
                         'were complete before the later ones' % (
                             max(answers), before, number))
    if max(answers) > ANSWERED_IN:
        episode.spoil('slow')
    if before > number * 0.9:
        episode.spoil('unfair')
    _require_all(service, backlog + late, episode, began)
    return episode


def _wait_for_quarter(asked):
    while sum(each.done() for each in asked) < math.ceil(len(asked) / 4):
        time.sleep(0.1)


def _ahead_of(late, backlog, until, asked):
    """Return how much of the backlog is complete when the late ones are."""
    for subject in late:
        subject.wait(until)
    service = late[0].service
    complete = service.sql(
        "SELECT count(*) FROM stack WHERE name LIKE 'many%' AND "
        "status = 'COMPLETE' AND owner_id IS NULL AND deleted_at IS NULL")
    for each in asked:
        each.result()
    assert len(asked) == len(backlog)
    return complete[0][0]
