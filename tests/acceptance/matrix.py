"""Making, checking, changing, replacing and deleting one of each type.

What the service shows is asked of the service itself, not of Heat.
"""
import concurrent.futures
import queue
import random
import re

from tests.acceptance import cases
from tests.acceptance import cloud
from tests.acceptance import leaks
from tests.acceptance import looks
from tests.acceptance import shared
from tests.acceptance import stacks

#: Steps of the table in the documentation.
STEPS = ('created', 'checked', 'updated', 'replaced', 'deleted')


class Walk:
    """The way of one case through its life."""

    def __init__(self, case, deployment, tenant):
        self.case = case
        self.tenant = tenant
        # Each session has a token of its own, and a token takes a while.
        self.stacks = deployment.stacks(
            tenant.connection(case.user).session, tenant.project_id)
        self.name = '%s-%s' % (tenant.tag, re.sub(
            '[^A-Za-z0-9]+', '-', case.type))
        self.words = shared.words(tenant, case.words) | {
            'name': self.name, 'tag': tenant.tag,
            'project': tenant.project_id, 'region': cloud.region(),
            'domain': tenant.domain_id, 'member': tenant.users['member'],
            'reader': tenant.users['reader'],
            'admin': tenant.users['admin'],
            'other_project': tenant.admin.session.get_project_id(),
            'vlan': str(random.randint(100, 1900)),
        }
        self.done = dict.fromkeys(STEPS, False)
        # Physical ids and properties at the last look.
        self._seen = ({}, {})

    def run(self):
        """Go all the way; return what was done."""
        if self.case.untried:
            return {'missing': self.case.untried}
        if self.case.missing:
            self._require_refusal()
            return {'missing': self.case.missing}
        if self.case.pending:
            self._make_half()
            return {'missing': self.case.pending, 'deleted': True}
        if self.case.refused:
            self._require_failure()
            return {'missing': self.case.refused, 'deleted': True}
        path = None
        try:
            path = self._create()
            self._change(path)
        finally:
            if path is not None:
                self._delete(path)
        self.done['deleted'] = True
        if self.case.tidy:
            getattr(looks, self.case.tidy)(self.tenant)
        for step in ('update', 'replace'):
            reason = getattr(self.case, f'no_{step}')
            if reason:
                self.done[f'no_{step}'] = reason
        return self.done

    def _require_refusal(self):
        template = self.case.template(self.case.properties, self.words)
        answer = self.stacks.ask('POST', '/stacks', {
            'stack_name': self.name, 'template': template})
        if answer.status_code == 201:
            self.stacks.delete(f'/stacks/{self.name}/' +
                               answer.json()['stack']['id'])
        assert answer.status_code in (400, 403, 404), answer.text
        assert (self.case.type in answer.text
                or 'resources.it' in answer.text), answer.text

    def _require_failure(self):
        """Ask for what the service does not make; delete what is left."""
        path = self.stacks.create(self.name, self.case.template(
            self.case.states()[0], self.words), wait=False)
        try:
            stack = self.stacks.wait(path, 'CREATE_FAILED')
            assert 'resources.it' in stack['stack_status_reason'], stack
        finally:
            self._delete(path)

    def _make_half(self):
        """Make what the service never finishes, and delete it."""
        first = self.case.states()[0]
        path = self.stacks.create(self.name, self.case.template(
            first, self.words), wait=False)
        try:
            for _turn in stacks.turns(stacks.PATIENCE):
                if self.stacks.physical_ids(path).get('it'):
                    break
            self._require_shown(path, first)
        finally:
            self._delete(path)

    # -- steps --------------------------------------------------------------

    def _create(self):
        first = self.case.states()[0]
        template = self.case.template(first, self.words)
        path = self.stacks.create(self.name, template, wait=False)
        try:
            self.stacks.wait(path, 'CREATE_COMPLETE')
            self._require_shown(path, first)
        except BaseException:
            self.stacks.delete(path, wait=False)
            raise
        self.done['created'] = True
        return path

    def _change(self, path):
        self.stacks.act(path, 'check')
        self.done['checked'] = True
        _first, second, third = self.case.states()
        if self.case.update:
            self._update(path, second, replaces=False)
            self.done['updated'] = True
        else:
            assert self.case.no_update, 'what about updating in place?'
        if self.case.replace:
            self._update(path, third, replaces=True)
            self.done['replaced'] = True
        else:
            assert self.case.no_replace, 'what about replacing?'

    def _update(self, path, properties, *, replaces):
        old = self._seen
        self.stacks.update(path, self.case.template(properties, self.words))
        self._require_shown(path, properties)
        one, other = (ids['it'] for ids, _wanted in (old, self._seen))
        if replaces:
            assert one != other, 'it was not replaced'
            assert self._look(*old) is None, f'{one} is still there'
        else:
            assert one == other, 'it was replaced'

    def _delete(self, path):
        ids, wanted = self._seen
        self.stacks.delete(path)
        assert not ids or self._look(ids, wanted) is None, (
            f'{ids["it"]} is still there')

    # -- looking ------------------------------------------------------------

    def _look(self, ids, wanted):
        """Return what the service shows of the resource; None if nothing.
        """
        case = self.case
        if case.look:
            return getattr(looks, case.look)(self.tenant, ids, wanted)
        return looks.show(self.tenant, case.service, case.path, case.key,
                          ids, wanted)

    def _require_shown(self, path, properties):
        ids = self.stacks.physical_ids(path)
        if self.case.named:
            ids |= self.stacks.outputs(path)
        wanted = _resolved(cases.filled(properties, self.words), ids)
        self._seen = (ids, wanted)
        live = self._look(ids, wanted)
        assert live is not None, f'the service has no {ids["it"]}'
        wrong = []
        for name, value in wanted.items():
            key = self.case.shows.get(name, name)
            found = looks.dig(live, key)
            if name not in self.case.unseen and (
                    not looks.same(value, found)):
                wrong.append(f'{name} is {value!r}, but the service shows '
                             f'{key} = {found!r}')
        assert not wrong, '\n'.join([*wrong, str(live)])


def _resolved(value, ids):
    """Return a property with the physical ids that it refers to."""
    if isinstance(value, dict):
        if set(value) == {'get_resource'}:
            return ids[value['get_resource']]
        if set(value) == {'get_attr'}:
            # Of all attributes only those that are ids are looked at.
            return ids[value['get_attr'][0]]
        return {key: _resolved(one, ids) for key, one in value.items()}
    if isinstance(value, list):
        return [_resolved(one, ids) for one in value]
    return value


class Walkers:
    """Threads that walk the cases, each with a tenant of its own.

    A walk is mostly waiting; together they take half of the time.
    """

    def __init__(self, deployment, chosen, threads):
        self._deployment = deployment
        self._tenants = queue.SimpleQueue()
        self._pool = concurrent.futures.ThreadPoolExecutor(threads)
        self._made = list(self._pool.map(
            self._begin, range(min(threads, len(chosen)))))
        self._results = {case.type: self._pool.submit(self._walk, case)
                         for case in chosen}

    def _begin(self, _number):
        tenant = cloud.Tenant()
        self._tenants.put(tenant)
        return tenant, leaks.Check(tenant)

    def _walk(self, case):
        tenant = self._tenants.get()
        try:
            return Walk(case, self._deployment, tenant).run()
        finally:
            self._tenants.put(tenant)

    def result(self, name):
        """Return what came of a type, or raise what went wrong."""
        return self._results[name].result()

    def require_nothing_left(self):
        """Fail if anything is left behind in any service."""
        concurrent.futures.wait(self._results.values())
        list(self._pool.map(self._require_nothing_left, self._made))

    @staticmethod
    def _require_nothing_left(made):
        tenant, check = made
        shared.remove(tenant)
        check.require_nothing_left()

    def stop(self):
        """End the threads and remove the tenants."""
        self._pool.shutdown(cancel_futures=True)
        for tenant, _check in self._made:
            shared.remove(tenant)
            tenant.remove()
