"""The parts of the console that only compute, in the browser they run in."""
import json

import pytest

from heat.common import change_words


@pytest.fixture
def run(pages):
    """Return a function that runs code with what a module exports."""
    page = pages.open('services')

    def evaluate(module, code, *arguments):
        return page.evaluate(
            f"""async (given) => {{
                const it = await import('./js/{module}.js');
                return ({code})(it, ...given);
            }}""", list(arguments))
    return evaluate


def test_a_chain_has_a_layer_for_each_link(run):
    assert run('layout', """(it) => Object.fromEntries(it.layers(
        ['a', 'b', 'c', 'd'], [['a', 'b'], ['b', 'c'], ['a', 'c']]))""") == {
            'a': 0, 'b': 1, 'c': 2, 'd': 0}


def test_a_circle_is_laid_out_too(run):
    assert run('layout', """(it) => it.layout({
        nodes: [{id: 'a'}, {id: 'b'}], edges: [['a', 'b'], ['b', 'a']],
        }).places.size""") == 2


def test_nodes_do_not_overlap(run):
    graph = {'nodes': [{'id': str(i)} for i in range(300)],
             'edges': [[str(i // 3), str(i)] for i in range(1, 300)]}
    graph['nodes'][5]['group'] = {
        'nodes': [{'id': f'in{i}'} for i in range(9)], 'edges': []}
    places = run('layout', '(it, graph) => [...it.layout(graph).places]',
                 graph)
    boxes = [box for name, box in places if not name.startswith('in')]
    assert len(places) == 309
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert (one['x'] + one['width'] <= other['x'] or
                    other['x'] + other['width'] <= one['x'] or
                    one['y'] + one['height'] <= other['y'] or
                    other['y'] + other['height'] <= one['y'])


def test_a_thousand_independent_nodes_make_a_block(run):
    graph = {'nodes': [{'id': str(i)} for i in range(1000)], 'edges': []}
    size = run('layout', """(it, graph) => {
        const {width, height} = it.layout(graph);
        return {width, height}; }""", graph)
    assert 0.3 < size['width'] / size['height'] < 4


@pytest.mark.parametrize(('text', 'wanted'), [
    ('a.b: It is wrong (line 4, column 7)',
     [['a.b: It is wrong', 4, 7]]),
    ('First. (line 2, column 1)\nOne more problem:\n- Second (line 9, '
     'column 3)', [['First.', 2, 1], ['Second', 9, 3]]),
    ('Erstes. (Zeile 2, Spalte 1)', [['Erstes.', 2, 1]]),
    ('Without a place', [['Without a place', 0, 0]])])
def test_problems_have_the_places_that_messages_name(run, text, wanted):
    assert run('problems', """(it, text) => it.problemsOf(text).map(
        (each) => [each.message, each.line, each.column])""", text) == wanted


def test_a_stream_may_be_cut_anywhere(run):
    text = ('retry: 2000\n: hello\n\nid: 4.2\nevent: resource\n'
            'data: {"id": "a"}\n\n: \n\nid: 5\nevent: end\ndata: {}\n\n')
    wanted = [{'id': '4.2', 'event': 'resource', 'data': '{"id": "a"}'},
              {'id': '5', 'event': 'end', 'data': '{}'}]
    for cut in range(len(text)):
        assert run('stream', """(it, ...pieces) => {
            const messages = new it.Messages();
            return pieces.flatMap((each) => messages.push(each)); }""",
                   text[:cut], text[cut:]) == wanted


def test_edges_say_why(run):
    template = {'heat_template_version': '2021-04-16', 'resources': {
        'a': {'type': 'X'},
        'b': {'type': 'X', 'depends_on': ['a', 'missing'], 'properties': {
            'list': [{'get_attr': ['a', 'value', 0]}],
            'id': {'get_resource': 'a'}}}}}
    assert run('template', """(it, template) => it.needsOf(template)
        .get('b').get('a').map(it.reasonText)""", template) == [
            'depends_on', 'get_attr: a.value.0 (properties.list[0])',
            'get_resource: a (properties.id)']


def test_edges_of_the_other_language(run):
    template = {'AWSTemplateFormatVersion': '2010-09-09', 'Resources': {
        'A': {'Type': 'X'}, 'B': {'Type': 'X', 'DependsOn': 'A'},
        'C': {'Type': 'X', 'Properties': {
            'P': {'Fn::GetAtt': ['A', 'Q']}, 'R': {'Ref': 'B'}}}}}
    assert run('template', """(it, template) =>
        it.graphOf(template).edges""", template) == [
            ['A', 'B'], ['A', 'C'], ['B', 'C']]


def test_the_root_cause_is_the_first_that_fails_by_itself(run):
    def resource(key, status, nested=None, reason=''):
        stack, name = key.split('/')
        return {'key': key, 'name': name, 'status': status,
                'stack': {'id': stack}, 'reason': reason,
                'nested': {'id': nested} if nested else None}

    def event(key, time):
        stack, name = key.split('/')
        return {'stack_id': stack, 'resource_name': name,
                'resource_status': 'CREATE_FAILED', 'event_time': time}

    resources = [resource('top/group', 'CREATE_FAILED', 'inner'),
                 resource('inner/1', 'CREATE_FAILED'),
                 resource('inner/0', 'CREATE_FAILED'),
                 resource('top/ok', 'CREATE_COMPLETE'),
                 resource('top/cut', 'CREATE_FAILED',
                          reason='resources.cut: The action was cancelled')]
    events = [event('top/cut', '2026-01-01T00:00:00Z'),
              event('inner/0', '2026-01-01T00:00:01Z'),
              event('inner/1', '2026-01-01T00:00:02Z'),
              event('top/group', '2026-01-01T00:00:03Z')]
    found = run('stack_model', """(it, resources, events) =>
        it.rootCause(resources, events)?.key""", resources, events)
    assert found == 'inner/0'
    assert run('stack_model', '(it) => it.rootCause([], [])') is None


@pytest.mark.parametrize(('before', 'wanted'), [
    ('resources:\n  a:\n    type: ', ['resources', 'a', 'type']),
    ('resources:\n  a:\n    properties:\n      ',
     ['resources', 'a', 'properties']),
    ('resources:\n  a:\n    properties:\n      list:\n        - ',
     ['resources', 'a', 'properties', 'list']),
    ('resources:\n  # b:\n  a:\n    ', ['resources', 'a']),
    ('', [])])
def test_the_place_in_a_template_follows_from_indentation(run, before,
                                                          wanted):
    lines = before.split('\n')
    assert run(
        'completion',
        '(it, lines, row, column) => it.pathAt(lines, row, column)',
        lines, len(lines) - 1, len(lines[-1])) == wanted


JSON_PLACES = {
    # The bar is where the cursor is.
    '{|': ([], True, False),
    '{"|': ([], True, True),
    '{"Res|"}': ([], True, True),
    '{Res|}': ([], True, False),
    '{"a": {"b": "|"}}': (['a', 'b'], False, True),
    '{"a": {"b": |}}': (['a', 'b'], False, False),
    '{"a": {"b": x|}}': (['a', 'b'], False, False),
    '{"a": {"b": "x|\n"c": {"d": 1}}}': (['a', 'b'], False, True),
    '{"a": |\n"b": 1}': (['a'], False, False),
    '{"a": [1, {"b": 2}, "|"]}': (['a', 2], False, True),
    '{"a": [1, |]}': (['a', 1], False, False),
    '{"a": [{"b": 2, "c|"}]}': (['a', 0], True, True),
    '{"a": {"b": 1},\n  |\n  "c": 1}': ([], True, False),
    '{"a]}": "\\"{", "|"}': ([], True, True),
    '{"Fn::J|": 1}': ([], True, True),
    '{Fn::J|': ([], True, False),
    '{"a": [|': (['a', 0], False, False),
    '{"a": [1, {"b": "c|': (['a', 1, 'b'], False, True),
    '{"a": {"b": [1}, "c": |': (['c'], False, False),
    '{"a": 1|, "b": 2}': (['a'], False, False)}


@pytest.mark.parametrize('text', JSON_PLACES)
def test_the_place_in_json_follows_from_brackets(run, text):
    place = run('json_place', '(it, ...given) => it.readJson(...given).place',
                text.replace('|', ''), text.index('|'))
    assert (place['path'], place['isKey'],
            place['isQuoted']) == JSON_PLACES[text]


@pytest.mark.parametrize('text', [
    '|{"a": 1}', '{"a"| : 1}', '{"a": 1 |}', '{"a": |"b"}', '{|"a": 1}',
    '{"a": "b"|}', '{"a": [{}|]}', '{}|', '{"a": [1 |]}'])
def test_places_in_json_where_no_word_fits(run, text):
    assert run('json_place', '(it, ...given) => it.readJson(...given).place',
               text.replace('|', ''), text.index('|')) is None


@pytest.mark.parametrize('text', [
    '{"a": {"b": ["c", true', '{"a": {"b": ["c", true}}',
    '{"a": {"b": ["c", true],}', '{, "a": {"b": ["c" true]}} ]',
    '{"a": {"b": ["c",\n true]}, "d'])
def test_unfinished_json_is_read_as_far_as_it_goes(run, text):
    assert run('json_place', '(it, text) => it.readJson(text, 0).value',
               text) == {'a': {'b': ['c', 'true']}}


def test_json_may_be_nested_without_end(run):
    assert run('json_place', """(it) => [
        '{"a":'.repeat(1e5), '{"a":' + '['.repeat(1e5)].map(
            (text) => Object.keys(it.readJson(text, 0).value))""") == [
                ['a'], ['a']]


@pytest.mark.parametrize(('text', 'explicit', 'offers'), [
    ('{', False, False), ('{', True, True), ('{"', False, True),
    ('{Res', False, True), ('{"Resources": {', False, False),
    # The user's own names.
    ('{"Resources": {"', True, False),
    ('{"HeatTemplateFormatVersion": 1, "Resources": {"A": {', True, True)])
def test_while_json_is_typed_words_are_offered_within_quotes(
        run, text, explicit, offers):
    # Enter after a bracket is to begin a line, not to accept an offer.
    assert run('completion', """async (it, text, explicit) => {
        const {EditorState} = await import('./vendor/editor.js');
        return Boolean(await new it.Completion(null).source({
            state: EditorState.create({doc: text}), pos: text.length,
            explicit})); }""", text, explicit) is offers


def test_a_search_takes_words_and_tags(run):
    stacks = [{'stack_name': 'shop', 'id': '1', 'tags': ['eu', 'gold'],
               'stack_status': 'CREATE_COMPLETE', 'stack_owner': 'bob'},
              {'stack_name': 'shop-test', 'id': '2', 'tags': None,
               'stack_status': 'UPDATE_FAILED', 'stack_owner': 'eve'}]

    def found(search, kind=''):
        return run('views/stacks', """(it, ...given) =>
            it.matching(...given).map((each) => each.id)""", stacks, search,
                   kind)
    assert found('shop') == ['1', '2']
    assert found('shop eve') == ['2']
    assert found('#go') == ['1']
    assert found('', 'failed') == ['2']


def test_states_have_kinds(run):
    words = ['CREATE_COMPLETE', 'UPDATE_FAILED', 'ROLLBACK_IN_PROGRESS',
             'INIT_COMPLETE', 'DELETE_COMPLETE', '']
    assert json.dumps(run('format', '(it, words) => words.map(it.kindOf)',
                          words)) == json.dumps(
        ['ok', 'failed', 'busy', 'idle', 'gone', 'idle'])


def test_each_action_of_a_change_set_has_a_sign(run):
    text = run('views/plans', '(it, found) => it.asText(found)', {
        'changes': [{'path': ['n', action], 'type': 'T', 'action': action}
                    for action in change_words.ACTIONS]})
    lines = text.splitlines()
    assert len(lines) == len(change_words.ACTIONS) - 1
    assert 'undefined' not in text


T0 = 1767225600_000  # 2026-01-01T00:00:00Z


def entry(**times):
    return {'path': 'a', 'ready_at': None, 'started_at': None,
            'finished_at': None, **{
                name: f'2026-01-01T00:00:{second:02}Z'
                for name, second in times.items()}}


def told(**phases):
    """Return an entry of a service that tells phases."""
    def moment(second):
        return f'2026-01-01T00:00:{second:02}Z'

    return {**entry(ready_at=2, started_at=3, finished_at=9), 'phases': [
        {'phase': phase, 'started_at': moment(begin),
         'finished_at': moment(end)}
        for phase, (begin, end) in phases.items()]}


@pytest.mark.parametrize(('given', 'wanted'), [
    (entry(ready_at=2, started_at=5, finished_at=9),
     [['dependencies', 0, 2], ['turn', 2, 5], ['act', 5, 9]]),
    (entry(ready_at=0, started_at=0, finished_at=9), [['act', 0, 9]]),
    (entry(ready_at=2, started_at=5),
     [['dependencies', 0, 2], ['turn', 2, 5], ['act', 5, 20]]),
    (entry(ready_at=2), [['dependencies', 0, 2], ['turn', 2, 20]]),
    (entry(), [['dependencies', 0, 20]]),
    (entry(started_at=5, finished_at=9), [['act', 5, 9]]),
    (told(dependencies=(0, 2), turn=(2, 3), acting=(3, 5), polling=(5, 9)),
     [['dependencies', 0, 2], ['turn', 2, 3], ['act', 3, 5],
      ['poll', 5, 9]]),
    # What took no time shows all the same.
    (told(dependencies=(0, 2)), [['dependencies', 0, 2], ['act', 3, 9]])])
def test_the_time_of_a_resource_has_phases(run, given, wanted):
    assert run('timeline_data', """(it, given, begin) => it.phasesOf(
        given, begin, begin + 20_000).map((each) => [each.kind,
            (each.from - begin) / 1000, (each.to - begin) / 1000])""",
               given, T0) == wanted


def test_what_is_nested_waits_from_the_begin_of_its_stack(run):
    timeline = {'started_at': '2026-01-01T00:00:00Z', 'resources': [
        {**entry(started_at=4), 'path': 'group'},
        {**entry(started_at=6), 'path': 'group/0'}]}
    assert run('timeline_data', """(it, timeline, begin) =>
        [...it.entries(timeline)].map(([path, time]) =>
            [path, (time - begin) / 1000])""", timeline, T0) == [
                ['group', 0], ['group/0', 4]]


def test_load_of_engines_is_added_up(run):
    assert run('views/services', """(it, services) =>
        it.total(services, (load) => load.stacks)""", [
            {'load': {'stacks': 2}}, {'load': None}, {},
            {'load': {'stacks': 3}}]) == 5


METRICS = {
    'actions_done': 12345, 'actions_failed': 0, 'actions_per_second': 1.234,
    'action_seconds': None, 'sql_statements': 7, 'cloud_requests': 8,
    'cloud_requests_failed': 1, 'cpu_seconds': 4000.25,
    'memory_bytes': 150 * 2 ** 20}


def test_metrics_of_an_engine_are_written_for_people(run):
    assert run('views/services', '(it, load) => it.metricTexts(load)', {
        'stacks': 1, 'metrics': METRICS}) == [
            '12,345', '0', '1.23', None, '7', '8', '1', '1 h 6 min', '150 MB']


@pytest.mark.parametrize('load', [None, {'stacks': 1}])
def test_metrics_that_an_engine_does_not_tell_are_unknown(run, load):
    texts = run('views/services', '(it, load) => it.metricTexts(load)', load)
    assert texts == [None] * len(METRICS)


@pytest.mark.parametrize(('value', 'wanted'), [
    (0, '0 byte'), (1536, '1.5 kB'), (99 * 2 ** 20, '99 MB'),
    (2 ** 50, '1,024 TB')])
def test_sizes_have_units(run, value, wanted):
    assert run('format', '(it, value) => it.bytes(value)', value) == wanted


def test_drift_is_shown_worst_first(run):
    resources = [{'path': [status.lower()], 'status': status}
                 for status in ('IN_SYNC', 'UNSUPPORTED', 'MODIFIED',
                                'DELETED')]
    code = """(it, ...given) => it.ordered(...given).map(
        (each) => each.path[0])"""
    assert run('views/drift', code, resources, False) == [
        'deleted', 'modified', 'unsupported', 'in_sync']
    assert run('views/drift', code, resources, True) == [
        'deleted', 'modified']
