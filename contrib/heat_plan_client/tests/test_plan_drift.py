"""Drift as text."""
from heat_plan_client import drift
from heat_plan_client import terminal

FOUND = {
    'stack_name': 'shop', 'status': 'DETECTION_COMPLETE',
    'drift': 'DRIFTED', 'left_out': 0,
    'counts': {'IN_SYNC': 1, 'MODIFIED': 1, 'DELETED': 1, 'UNSUPPORTED': 1},
    'resources': [
        {'path': ['rack', 'disk'], 'type': 'OS::Cinder::Volume',
         'status': 'DELETED', 'reason': '', 'differences': []},
        {'path': ['same'], 'type': 'OS::Nova::Server', 'status': 'IN_SYNC',
         'reason': '', 'differences': []},
        {'path': ['value'], 'type': 'OS::Heat::Value',
         'status': 'UNSUPPORTED', 'reason': 'why', 'differences': []},
        {'path': ['web'], 'type': 'OS::Nova::Server', 'status': 'MODIFIED',
         'reason': '', 'differences': [
             {'property': 'name', 'expected': 'web', 'actual': 'w\x1b[31m'},
             {'left_out': 3}]}]}


def test_what_has_drifted_is_grouped_by_stack():
    assert list(drift.lines(FOUND)) == [
        'Stack shop',
        '    ~ web (OS::Nova::Server)',
        "        name: 'web' -> 'w\\x1b[31m'",
        '        and 3 more',
        '',
        'Stack shop/rack',
        '    - disk (OS::Cinder::Volume)',
        '',
        'Drift of stack shop: 1 modified, 1 deleted, 1 in sync, 1 not '
        'compared.']


def test_terminals_show_colours():
    assert '\033[33m    ~ web (OS::Nova::Server)\033[0m' in drift.lines(
        FOUND, terminal.coloured)


def test_detection_that_runs_shows_how_far_it_is():
    assert list(drift.lines({
        'stack_name': 's', 'status': 'DETECTION_IN_PROGRESS',
        'progress': {'examined': 3, 'total': 9}})) == [
        'Detection in progress: 3 of 9 resources compared.']


def test_failure_says_why():
    assert list(drift.lines({
        'stack_name': 's', 'status': 'DETECTION_FAILED',
        'status_reason': 'no\nluck'})) == [
        'The detection failed: no\\nluck']


def test_resources_that_are_left_out_are_counted():
    assert '7 resources are not shown.' in drift.lines(
        {**FOUND, 'left_out': 7})
