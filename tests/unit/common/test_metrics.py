"""Figures for Prometheus, and what a question about health costs."""
import pathlib
import re
import threading

from oslo_messaging.rpc import dispatcher
from osprofiler import notifier
from osprofiler import profiler
import prometheus_client
from prometheus_client import metrics as metrics_core
import pytest
import webob

from heat.api.middleware import metrics as middleware
from heat.common import context
from heat.common import exception
from heat.common import health
from heat.common import metrics
from heat.engine.process import monitor


def value(name, **labels):
    return prometheus_client.REGISTRY.get_sample_value(name, labels) or 0


class Served:
    """An endpoint of RPC."""

    @context.request_context
    def works(self, ctxt):
        return 'well'

    @context.request_context
    def refuses(self, ctxt):
        raise exception.NotSupported(feature='That')

    @context.request_context
    def breaks(self, ctxt):
        raise KeyError('x')


@pytest.mark.parametrize(('method', 'outcome', 'error'), [
    ('works', 'ok', None),
    ('refuses', 'refused', dispatcher.ExpectedException),
    ('breaks', 'error', KeyError),
])
def test_served_calls_are_counted_by_outcome(method, outcome, error):
    def count():
        return value('heat_rpc_served_total', method=method, outcome=outcome)

    before, call = count(), getattr(Served(), method)
    if error is None:
        call(None)
    else:
        with pytest.raises(error):
            call(None)
    assert count() == before + 1


def test_served_calls_are_part_of_a_trace():
    points, before = [], notifier.get()
    notifier.set(lambda info, **_kwargs: points.append(info))
    profiler.clean()
    profiler.init('key')
    try:
        Served().works(None)
    finally:
        profiler.clean()
        notifier.set(before)
    assert [point['name'] for point in points] == ['rpc-start', 'rpc-stop']
    assert points[0]['info']['name'] == 'works'


def application(environ, start_response):
    environ[middleware.ROUTE] = '/things/{name}'
    start_response('202 Accepted', [])
    return []


def ask(path, remote='127.0.0.1', **kwargs):
    return webob.Request.blank(path, environ={'REMOTE_ADDR': remote},
                               **kwargs).get_response(
        middleware.filter_factory({}, api='some-api')(application))


def test_requests_are_counted_by_route_not_by_path():
    labels = {'api': 'some-api', 'method': 'GET', 'status': '202',
              'route': '/things/{name}'}
    before = value('heat_api_requests_total', **labels)
    ask('/things/one')
    ask('/things/two')
    assert value('heat_api_requests_total', **labels) == before + 2


def test_methods_nobody_knows_are_counted_together():
    ask('/things/one', method='FROBNICATE')
    shown = ask('/metrics').text
    assert 'FROBNICATE' not in shown
    assert 'method="other"' in shown


@pytest.mark.parametrize(('remote', 'headers', 'status'), [
    ('127.0.0.1', {}, 200),
    ('::1', {}, 200),
    ('::ffff:127.0.0.1', {}, 200),
    ('203.0.113.9', {}, 404),
    ('', {}, 404),
    ('127.0.0.1', {'X-Forwarded-For': '127.0.0.1'}, 404),
    ('127.0.0.1', {'Forwarded': 'for=127.0.0.1'}, 404),
])
def test_figures_are_for_those_who_are_near(remote, headers, status):
    assert ask('/metrics', remote, headers=headers).status_int == status


def test_figures_can_only_be_read():
    assert ask('/metrics', method='DELETE').status_int == 405


def test_figures_are_brought_up_to_date_first():
    figure = metrics.gauge('heat_test_figure', 'For this test.')
    metrics.on_scrape('test', lambda: figure.set(17))
    assert b'heat_test_figure 17.0' in metrics.text()


def test_health_is_asked_once_for_many():
    asked, go_on = [], threading.Event()

    def ask_slowly():
        asked.append(1)
        go_on.wait(60)

    watch = health.Watch('It', ask_slowly, patience=60, lifetime=1000)
    found = []
    threads = [threading.Thread(target=lambda: found.append(watch.trouble()))
               for _number in range(5)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert found == [None] * 5
    assert asked == [1]


def test_no_answer_is_trouble_and_nobody_else_is_sent_to_ask():
    asked, begun, go_on = [], threading.Event(), threading.Event()

    def ask_for_ever():
        asked.append(1)
        begun.set()
        go_on.wait(60)

    watch = health.Watch('It', ask_for_ever, patience=0.01, lifetime=0)
    assert watch.trouble() is not None
    # Whoever was sent may be slow to go.
    assert begun.wait(60)
    assert watch.trouble() is not None
    assert asked == [1]
    go_on.set()


def test_an_error_is_trouble_until_it_works_again():
    def ask_it():
        if broken:
            raise OSError('connect to 192.0.2.1')

    broken, watch = True, health.Watch('It', ask_it, lifetime=0)
    assert watch.trouble() == 'OSError'
    broken = False
    assert watch.trouble() is None


MONITORING = (pathlib.Path(__file__).resolve().parents[3]
              / 'doc/source/operator_guide/monitoring.rst')


def families():
    """Return {name as it is shown: type} of our families."""
    return {
        family.name + ('_total' if family.type == 'counter' else ''):
        family.type
        for collector in (*vars(metrics).values(),
                          *vars(monitor).values())
        if isinstance(collector, metrics_core.MetricWrapperBase)
        for family in collector.collect()}


def test_all_families_are_documented_and_no_others():
    documented = re.findall(r'^``(heat_\w+)``  ', MONITORING.read_text(),
                            re.MULTILINE)
    assert sorted(documented) == sorted(families())


def test_all_labels_are_documented():
    text = MONITORING.read_text()
    for collector in (*vars(metrics).values(),
                      *vars(monitor).values()):
        for label in getattr(collector, '_labelnames', ()):
            assert re.search(rf'``{label}``', text), label


def test_no_series_says_when_another_one_began():
    metrics.REQUESTS.labels('api', 'GET', 'route', '200').inc()
    metrics.REQUEST_SECONDS.labels('api', 'GET', 'route').observe(1)
    text = metrics.text().decode()
    assert 'heat_api_requests_total{' in text
    assert '_created' not in text
