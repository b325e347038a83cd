"""Alert rules and dashboard speak of what the service exports."""
import json
import pathlib
import re
import shutil
import subprocess

from prometheus_client import metrics as metrics_core
import pytest
import yaml

from heat.common import metrics
from heat.engine.process import monitor

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
RULES = ROOT / 'etc/heat/samples/prometheus/heat-alerts.yaml'
DASHBOARD = ROOT / 'etc/heat/samples/grafana/heat.json'
PAGE = ROOT / 'doc/source/operator_guide/monitoring.rst'

SUFFIXES = {'counter': ('_total',), 'gauge': ('',),
            'histogram': ('_bucket', '_count', '_sum')}
#: Labels that Prometheus gives each series it scrapes.
SCRAPED = {'instance', 'job'}

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SELECTOR = re.compile(r'\b(heat_\w+)\s*(?:\{([^}]*)\})?')
_MATCHER = re.compile(r'(\w+)\s*(=~|!=|!~|=)\s*"((?:[^"\\]|\\.)*)"')
_GROUPED = re.compile(r'\b(?:by|without)\s*\(([^)]*)\)')


def exported():
    """Return the labels of each series that /metrics has."""
    series = {}
    for module in (metrics, monitor):
        for metric in vars(module).values():
            if not isinstance(metric, metrics_core.MetricWrapperBase):
                continue
            for family in metric.describe():
                labels = set(metric._labelnames)
                for suffix in SUFFIXES[family.type]:
                    series[family.name + suffix] = (
                        labels | {'le'} if suffix == '_bucket' else labels)
    return series


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())['groups']
            for rule in group['rules']]


def dashboard():
    return json.loads(DASHBOARD.read_text())


def panels():
    return [panel for panel in dashboard()['panels']
            if panel['type'] != 'row']


EXPRESSIONS = {
    **{f'alert {rule["alert"]}': rule['expr'] for rule in rules()},
    **{f'panel {panel["title"]} {target["refId"]}': target['expr']
       for panel in panels() for target in panel['targets']}}


def unbalanced(expression):
    """Return the bracket that is not closed or opened, if there is one."""
    pairs, opened = {')': '(', '}': '{', ']': '['}, []
    for letter in _STRING.sub('', expression):
        if letter in '({[':
            opened.append(letter)
        elif letter in pairs and (not opened
                                  or opened.pop() != pairs[letter]):
            return letter
    return opened[-1] if opened else None


@pytest.mark.parametrize('name', EXPRESSIONS)
def test_expressions_name_series_that_are_exported(name):
    expression, series = EXPRESSIONS[name], exported()
    assert unbalanced(expression) is None
    found = _SELECTOR.findall(expression)
    assert found
    labels = set()
    for metric, matchers in found:
        assert metric in series
        given = {label for label, _, _ in _MATCHER.findall(matchers)}
        assert given <= series[metric] | SCRAPED
        labels |= series[metric] | SCRAPED
    for group in _GROUPED.findall(expression):
        assert set(re.split(r'\s*,\s*', group.strip())) <= labels


@pytest.mark.parametrize('name', EXPRESSIONS)
def test_values_of_labels_are_those_of_the_code(name):
    code = ''.join(path.read_text() for path in [
        *(ROOT / 'heat/common').glob('*.py'),
        *(ROOT / 'heat/db').glob('*.py'),
        *(ROOT / 'heat/engine/lifecycle').glob('*.py')])
    for label, operator, values in _MATCHER.findall(EXPRESSIONS[name]):
        if label in ('instance', 'status', '__name__'):
            continue
        for value in values.split('|') if operator == '=~' else [values]:
            assert f"'{value}'" in code


def test_counters_are_seen_as_rates():
    # A counter is as old as its process; alone it says nothing.
    for name, expression in EXPRESSIONS.items():
        for metric in re.finditer(r'heat_\w+_(?:total|bucket|sum|count)\b',
                                  expression):
            before = expression[:metric.start()].rstrip('( \n')
            assert before.endswith(('rate', 'increase')), name


def test_the_dashboard_shows_every_family():
    shown = {metric for panel in panels() for target in panel['targets']
             for metric, _ in _SELECTOR.findall(target['expr'])}

    def family(metric):
        return re.sub(r'_(bucket|count|sum)$', '', metric)

    assert {family(metric) for metric in exported()} == set(
        map(family, shown))


def test_panels_have_places_of_their_own():
    taken, ids = set(), set()
    for panel in dashboard()['panels']:
        assert panel['id'] not in ids
        ids.add(panel['id'])
        place = panel['gridPos']
        assert place['x'] + place['w'] <= 24
        cells = {(x, y) for x in range(place['x'], place['x'] + place['w'])
                 for y in range(place['y'], place['y'] + place['h'])}
        assert not cells & taken
        taken |= cells


def test_the_dashboard_uses_the_variables_that_it_declares():
    text = DASHBOARD.read_text()
    declared = {each['name'] for each in dashboard()['templating']['list']}
    used = set(re.findall(r'\$\{?([a-z]\w*)', text))
    assert used == declared


def test_every_alert_says_how_bad_it_is_and_what_it_means():
    names = [rule['alert'] for rule in rules()]
    assert len(names) == len(set(names))
    for rule in rules():
        assert rule['labels']['severity'] in ('critical', 'warning')
        assert rule['annotations']['summary']
        assert rule['annotations']['description']


def test_annotations_use_labels_that_are_left():
    for rule in rules():
        left = {label.strip() for group in _GROUPED.findall(rule['expr'])
                for label in group.split(',')}
        used = set(re.findall(r'\$labels\.(\w+)',
                              ' '.join(rule['annotations'].values())))
        assert used <= left, rule['alert']


def test_the_page_lists_the_alerts():
    listed = dict(re.findall(r'^``(Heat\w+)``\s+(critical|warning)',
                             PAGE.read_text(), re.MULTILINE))
    assert listed == {rule['alert']: rule['labels']['severity']
                      for rule in rules()}


def test_the_page_lists_the_families():
    listed = set(re.findall(r'^``(heat_\w+)``', PAGE.read_text(),
                            re.MULTILINE))
    assert listed == {re.sub(r'_(bucket|count|sum)$', '', metric)
                      for metric in exported()}


def test_each_alert_has_a_story_where_it_fires():
    tests = yaml.safe_load((HERE / 'alerts.yaml').read_text())['tests']
    healthy, troubled = tests
    names = {rule['alert'] for rule in rules()}
    assert {case['alertname'] for case
            in healthy['alert_rule_test']} == names
    fired = troubled['promql_expr_test'][0]['exp_samples']
    assert {re.search(r'alertname="(\w+)"', sample['labels'])[1]
            for sample in fired} == names


@pytest.mark.skipif(not shutil.which('promtool'),
                    reason='no promtool: tools/test fetches it')
@pytest.mark.parametrize('arguments', [
    ('check', 'rules', RULES), ('test', 'rules', HERE / 'alerts.yaml')],
    ids=['check', 'test'])
def test_prometheus_takes_the_rules(arguments):
    done = subprocess.run(['promtool', *arguments], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
