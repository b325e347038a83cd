import pytest

from heat.common import config
from heat.common import context as heat_context
from heat.common import timeutils
from heat.common import watch_words as words
from heat.engine.watch import rules
from tests.fakes import database
from tests.fakes import rpc

#: The beginning of a minute.
NOW = 1_800_000_000


class World:
    """Rules of a project, a clock, and the signals that are sent."""

    def __init__(self, engine):
        self.context = heat_context.RequestContext(
            project_id='project', is_admin=False)
        self.engine = engine
        self.now = NOW

    def definition(self, **values):
        return rules.Definition(**{
            'namespace': 'ns', 'metric': 'load', 'statistic': words.AVERAGE,
            'comparison': words.GREATER, 'threshold': 5.0, 'period': 60,
            'evaluation_periods': 2, **values})

    def rule(self, name='alarm', acting=(words.State.ALARM,), **values):
        values.setdefault('actions', {
            state: [target(state.lower())] for state in acting})
        return rules.create(self.context, 'project', 'stack', name,
                            self.definition(**values))

    def get(self, rule_id):
        return rules.get(self.context, rule_id)

    @property
    def signals(self):
        return [(arguments['resource_name'], arguments['details'])
                for method, _context, arguments in self.engine.calls
                if method == 'resource_signal']


def target(resource):
    return {'stack': {'tenant': 'project', 'stack_name': 's',
                      'stack_id': 'stack', 'path': ''},
            'resource': resource}


@pytest.fixture
def world(tmp_path, monkeypatch):
    config.register_opts()
    config.cfg.CONF.set_override('enabled', True, 'cloudwatch')
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    engine = rpc.FakeEngineClient()
    made = World(engine)
    monkeypatch.setattr(rules, 'now', lambda: made.now)
    monkeypatch.setattr('heat.rpc.client.EngineClient', lambda: engine)
    yield made
    config.cfg.CONF.clear_override('enabled', 'cloudwatch')
    timeutils.follow(None)
