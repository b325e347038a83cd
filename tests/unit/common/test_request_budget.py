"""What one request may take, all its parts together."""
import threading
import time

from oslo_config import cfg
import pytest

from heat.common import request_budget
from heat.common import template_format


@pytest.fixture
def limits():
    """Return a function that sets the limits of later requests."""
    before = request_budget.limits()

    def set_limits(**values):
        request_budget.configure(request_budget.Limits(**values))

    yield set_limits
    request_budget.configure(before)


def compute(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        request_budget.check()


def test_computing_in_parts_counts_together(limits):
    limits(cpu_seconds=0.05)
    with request_budget.of_request():
        with request_budget.work():
            compute(0.03)
        with pytest.raises(request_budget.Exceeded, match='cpu_seconds'):
            with request_budget.work():
                compute(0.03)
        assert request_budget.is_exhausted()
    with request_budget.work():
        compute(0.03)


def test_a_block_within_another_is_counted_once(limits):
    limits(cpu_seconds=0.05)
    with request_budget.work(), request_budget.work():
        compute(0.03)


def test_what_is_made_counts_together(limits):
    limits(output_size=10)
    with request_budget.of_request():
        request_budget.take(6)
        with pytest.raises(request_budget.Exceeded, match='output_size'):
            request_budget.take(6)
        # Nothing else is begun.
        with pytest.raises(request_budget.Exceeded):
            request_budget.check()


def test_what_nested_stacks_define_counts_together(limits):
    limits(nested_definitions=10)
    with request_budget.of_request():
        request_budget.define(10)
        with pytest.raises(request_budget.Exceeded,
                           match='nested_definitions'):
            request_budget.define(1)


def test_nodes_of_all_texts_count_together(limits):
    limits(yaml_nodes=500)
    with request_budget.of_request():
        template_format.simple_parse('a: [' + 'x,' * 400 + ']')
        with pytest.raises(ValueError, match='yaml_nodes'):
            template_format.simple_parse('a: [' + 'x,' * 400 + ']')
    template_format.simple_parse('a: [' + 'x,' * 1000 + ']')


def test_a_step_may_take_what_is_left(limits):
    limits(cpu_seconds=0.1)
    with request_budget.of_request():
        with request_budget.step(1) as seconds:
            assert seconds == 0.1
            compute(0.05)
        with request_budget.step(1) as seconds:
            assert seconds <= 0.05


def test_requests_of_other_threads_have_their_own(limits):
    limits(output_size=10)
    left = []

    def other():
        with request_budget.of_request():
            request_budget.take(10)
            left.append(request_budget.is_exhausted())

    with request_budget.of_request():
        request_budget.take(10)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert left == [False]


def test_without_a_request_nothing_is_counted():
    request_budget.take(10 ** 12)
    request_budget.check()
    assert not request_budget.is_exhausted()


@pytest.mark.parametrize(('limit', 'group', 'option'), [
    ('cpu_seconds', 'request_budget', 'cpu_seconds'),
    ('output_size', 'request_budget', 'output_size'),
    ('yaml_nodes', 'request_budget', 'yaml_nodes'),
    ('nested_definitions', 'request_budget', 'nested_definitions'),
    ('template_length', None, 'max_template_size'),
    ('yaql_iterators', 'yaql', 'limit_iterators'),
    ('yaql_memory', 'yaql', 'memory_quota'),
])
def test_options_are_the_limits_of_a_process(conf, limit, group, option):
    assert getattr(request_budget.limits(), limit) == getattr(
        request_budget.Limits(), limit)
    cfg.CONF.set_override(option, 2000000, group)
    try:
        assert getattr(request_budget.limits(), limit) == 2000000
    finally:
        cfg.CONF.clear_override(option, group)
