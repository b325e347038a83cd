"""Answers of services hold for a while, for all operations."""
import functools
import itertools

import pytest

from heat.common import context as heat_context
from heat.engine.clients import client_plugin
from heat.engine.clients import kept_answers
from heat.engine.clients import os as os_client
from heat.engine.clients.os import neutron
from tests.fakes import cloud


@pytest.fixture
def ask():
    """Return a function that answers 0, 1, 2."""
    return functools.partial(next, itertools.count())


def test_an_answer_holds_for_a_while(clock, ask):
    kept = kept_answers.KeptAnswers(seconds=300)
    assert kept.get('a', ask) == 0
    clock.seconds += 300
    assert kept.get('a', ask) == 0
    clock.seconds += 1
    assert kept.get('a', ask) == 1


def test_each_question_has_its_answer(clock, ask):
    kept = kept_answers.KeptAnswers()
    assert [kept.get(key, ask) for key in 'abab'] == [0, 1, 0, 1]


def test_an_answer_can_be_too_old(clock, ask):
    kept = kept_answers.KeptAnswers()
    kept.get('a', ask)
    clock.seconds += 1
    assert kept.get('a', ask, since=1000.5) == 1
    assert kept.get('a', ask) == 1


def test_errors_are_not_kept(clock, ask):
    kept = kept_answers.KeptAnswers()
    with pytest.raises(ZeroDivisionError):
        kept.get('a', lambda: 1 / 0)
    assert kept.get('a', ask) == 0


def test_only_so_many_are_kept(clock, ask):
    kept = kept_answers.KeptAnswers(most=2)
    assert [kept.get(key, ask) for key in 'abcb'] == [0, 1, 2, 1]
    assert kept.get('a', ask) == 3


def test_all_can_be_forgotten(clock, ask):
    kept = kept_answers.KeptAnswers()
    kept.get('a', ask)
    kept.forget()
    assert kept.get('a', ask) == 1


@pytest.fixture
def asked(monkeypatch):
    """Return the lists of extensions that were requested."""
    asked = []
    monkeypatch.setattr(cloud.FakeService, 'extensions', lambda _self: (
        asked.append(1) or [cloud.Thing({'alias': 'qos'})]))
    return asked


@pytest.fixture
def new_plugin(clock):
    """Return a function that returns the plugin of a new operation."""
    contexts = []

    def new(region=None):
        contexts.append(heat_context.RequestContext(
            project_id='p', region_name=region, overwrite=False))
        plugin = neutron.NeutronClientPlugin(contexts[-1])
        plugin._client_instances['sdk', None] = cloud.FakeService()
        return plugin
    return new


def test_operations_share_the_list_of_extensions(new_plugin, asked):
    for _operation in range(3):
        assert new_plugin().has_extension('qos')
    assert len(asked) == 1
    assert new_plugin(region='other').has_extension('qos')
    assert len(asked) == 2


def test_a_missing_extension_is_looked_for_in_each_operation(
        new_plugin, asked, clock):
    for operation in range(1, 4):
        clock.seconds += 1
        plugin = new_plugin()
        for _resource in range(3):
            assert not plugin.has_extension('sfc')
        assert len(asked) == operation


class OfSomebodyElse(os_client.ExtensionMixin, client_plugin.ClientPlugin):
    """A plugin of a third party, not for openstacksdk."""

    def _create(self, version=None):
        return None

    def _list_extensions(self):
        return ['fast']


def test_plugins_of_others_have_extensions(clock):
    context = heat_context.RequestContext(project_id='p', overwrite=False)
    plugin = OfSomebodyElse(context)
    assert plugin.has_extension('fast')
    assert not plugin.has_extension('slow')
