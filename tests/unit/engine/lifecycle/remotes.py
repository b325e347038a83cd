"""A type whose objects are made elsewhere, and stacks of one of them."""
from heat.engine import properties
from heat.engine import resource
from heat.engine.tasks import scheduler
from tests.fakes import stack as fake_stack


class Remote(resource.Resource):
    """A resource that is made elsewhere, as the test says."""

    properties_schema = {
        'a': properties.Schema(properties.Schema.STRING,
                               update_allowed=True),
        'b': properties.Schema(properties.Schema.STRING),
        'i': properties.Schema(properties.Schema.STRING, immutable=True),
        'n': properties.Schema(properties.Schema.INTEGER,
                               update_allowed=True),
    }

    #: What handlers do, see the fixture of this name.
    script = {}
    #: Which handlers were called, with what.
    log = []

    def note(self, what, *args):
        """Note a call, and do what the script says."""
        self.log.append((what, *args))
        step = self.script.get(what)
        if isinstance(step, list):
            step = step.pop(0) if step else None
        if isinstance(step, BaseException):
            raise step
        return step(self) if callable(step) else step

    def handle_create(self):
        if self.note('create', self.state) is None:
            self.resource_id_set('phys')
        return 'cookie'

    def check_create_complete(self, cookie):
        assert cookie == 'cookie'
        return self.note('check_create') is None

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        self.note('update', prop_diff, self.properties['a'])

    def handle_delete(self):
        self.note('delete', self.resource_id)

    def handle_suspend(self):
        self.note('suspend')

    def handle_resume(self):
        self.note('resume')


class Local(Remote):
    """One whose handlers make nothing remote."""

    handlers_are_local = True


class Conflict(Exception):
    """A service is busy with something else."""


class Plugin:
    """A client plugin of a service that may be busy."""

    service_types = []

    def is_conflict(self, error):
        return isinstance(error, Conflict)

    def is_not_found(self, error):
        return False


def make_stack(type_name='T::Remote', props=None, **kwargs):
    """Return a stack of one remote, "r"."""
    snippet = {'type': type_name, 'properties': props or {'a': 'x'}}
    return fake_stack.FakeStack(
        {'r': {**snippet, **kwargs.pop('snippet', {})}},
        types={'T::Remote': Remote, 'T::Local': Local}, **kwargs)


def run(task, *args, **kwargs):
    """Run a task to its end; return what it returns."""
    results = []

    def outer():
        results.append((yield from task(*args, **kwargs)))

    scheduler.TaskRunner(outer)(wait_time=1)
    return results[0]


def created(stack):
    """Create the remote of a stack, and return it."""
    res = stack.stored('r')
    run(res.create)
    Remote.log.clear()
    return res


def changed(stack, **props):
    """Return a definition of the remote with other properties."""
    return stack.definition('r', properties=props)
