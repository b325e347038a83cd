"""Stacks in the console: lists, graphs, failures, updates."""
import re
import signal

from playwright.sync_api import expect
import pytest

from tests.browser import chromium
from tests.browser import templates

#: Seconds during which nothing happens.
IDLE = 3


def node(page, name):
    return page.locator(f'.node[data-name="{name}"]')


def fill_editor(page, text):
    """Replace the text of the editor."""
    place = page.locator('.cm-content')
    place.click()
    page.keyboard.press('Control+A')
    page.keyboard.press('Delete')
    page.keyboard.insert_text(text)


def test_a_stack_is_written_and_watched_until_it_is_complete(pages, service):
    page = pages.open('editor')
    fill_editor(page, templates.STEPS)
    expect(page.locator('.state-good')).to_be_visible()
    expect(node(page, 'balancer')).to_be_visible()
    page.get_by_label('size').fill('3')
    page.get_by_label('Name of the stack').fill('written')
    page.get_by_role('button', name='Create stack').click()
    expect(page.get_by_role('heading', name='written')).to_be_visible()
    expect(node(page, 'network')).to_have_class(re.compile('busy|ok'))
    expect(page.locator('.stack-header .badge')).to_contain_text(
        'CREATE COMPLETE')
    expect(page.locator('.node.ok')).to_have_count(5)
    page.get_by_role('link', name='Outputs').click()
    expect(page.get_by_role('heading', name='secret')).to_be_visible()
    group = service.call('GET', '/stacks/written/resources?nested_depth=1')
    assert len(group['resources']) == 8


def test_errors_are_shown_at_their_lines_while_typing(pages):
    page = pages.open('editor')
    fill_editor(page, 'heat_template_version: 2021-04-16\nresources:\n'
                      '  a:\n    type: OS::Heat::RandomString\n'
                      '    properties: {lengt: 3}\n')
    line = page.locator('.problem-line')
    expect(line).to_contain_text('line 5')
    expect(line).to_contain_text('Did you mean "length"?')
    fill_editor(page, 'heat_template_version: 2021-04-16\nresources:\n'
                      '  a:\n    type: OS::Heat::RandomString\n'
                      '    properties: {length: 3}\n')
    expect(page.locator('.state-good')).to_be_visible()
    expect(line).to_have_count(0)


def check_completion(pages, text, wanted):
    """Check that the editor offers something at the end of a text."""
    page = pages.open('editor')
    fill_editor(page, text)
    page.keyboard.press('Control+Space')
    expect(page.locator('.cm-completionLabel').filter(
        has_text=re.compile(f'^{re.escape(wanted)}$'))).to_be_visible()


@pytest.mark.parametrize(('text', 'wanted'), [
    ('resources:\n  a:\n    type: OS::Heat::Rand', 'OS::Heat::RandomString'),
    ('resources:\n  a:\n    type: OS::Heat::RandomString\n    properties:\n'
     '      len', 'length'),
    ('parameters:\n  size: {type: number}\nresources:\n  a:\n'
     '    type: OS::Heat::Value\n    properties:\n      value: '
     '{get_param: si', 'size'),
    ('resources:\n  first:\n    type: OS::Heat::RandomString\n  b:\n'
     '    type: OS::Heat::Value\n    properties:\n      value: '
     '{get_attr: [first, va', 'value'),
    ('outputs:\n  a:\n    value: {str_re', 'str_replace')])
def test_the_editor_completes(pages, text, wanted):
    check_completion(pages, f'heat_template_version: 2021-04-16\n{text}',
                     wanted)


@pytest.mark.parametrize(('text', 'wanted'), [
    ('Resources:\n  A:\n    Type: OS::Heat::Rand', 'OS::Heat::RandomString'),
    ('Resources:\n  A:\n    Type: OS::Heat::RandomString\n    Properties:\n'
     '      len', 'length'),
    ('Parameters:\n  Size: {Type: Number}\nResources:\n  A:\n'
     '    Type: OS::Heat::Value\n    Properties:\n      value: '
     '{Ref: Si', 'Size'),
    ('Resources:\n  First:\n    Type: OS::Heat::RandomString\n  B:\n'
     '    Type: OS::Heat::Value\n    Properties:\n      value: '
     '{"Fn::GetAtt": [First, va', 'value'),
    ('Outputs:\n  A:\n    Value: {Fn::Jo', 'Fn::Join')])
def test_the_editor_completes_the_other_language(pages, text, wanted):
    check_completion(pages, f"AWSTemplateFormatVersion: '2010-09-09'\n{text}",
                     wanted)


#: The bar is where the cursor is.
CFN_JSON = '{"AWSTemplateFormatVersion": "2010-09-09",\n%s}'
HOT_JSON = '{"heat_template_version": "2021-04-16",\n%s}'
RANDOM = '{"type": "OS::Heat::RandomString"}'


def complete(pages, text, name):
    """Return what becomes of a text with a bar, when a name is accepted."""
    page = pages.open('editor')
    before, after = text.split('|')
    fill_editor(page, before + after)
    for _letter in after:
        page.keyboard.press('ArrowLeft')
    page.keyboard.press('Control+Space')
    page.locator('.cm-completionLabel').filter(
        has_text=re.compile(f'^{re.escape(name)}$')).click()
    page.keyboard.insert_text('|')
    return page.evaluate("sessionStorage.getItem('heat.draft')")


@pytest.mark.parametrize(('language', 'text', 'name', 'wanted'), [
    (CFN_JSON, '"Resources": {"A": {"Type": "OS::Heat::Rand|"}}',
     'OS::Heat::RandomString',
     '"Resources": {"A": {"Type": "OS::Heat::RandomString"|}}'),
    (CFN_JSON, '"Resources": {"A": {"Type": |}}',
     'OS::Heat::RandomString',
     '"Resources": {"A": {"Type": "OS::Heat::RandomString"|}}'),
    (CFN_JSON, '"Resources": {"A": {"Type": "OS::Heat::RandomString",\n'
     '"Properties": {le|}}}', 'length',
     '"Resources": {"A": {"Type": "OS::Heat::RandomString",\n'
     '"Properties": {"length": |}}}'),
    (CFN_JSON, '"Resources": {"A": {"Ty|": "X"}}', 'Type',
     '"Resources": {"A": {"Type"|: "X"}}'),
    (CFN_JSON, '"Parameters": {"Size": {}}, "Outputs": {"A": {"Value": '
     '{"Ref": "|}}}', 'Size',
     '"Parameters": {"Size": {}}, "Outputs": {"A": {"Value": '
     '{"Ref": "Size"|}}}'),
    (CFN_JSON, '"Outputs": {"A": {"Value": {"Fn::Jo|"}}}', 'Fn::Join',
     '"Outputs": {"A": {"Value": {"Fn::Join": |}}}'),
    (HOT_JSON, f'"resources": {{"first": {RANDOM}}}, "outputs": {{"a": '
     '{"value": {"get_attr": ["first", |]}}}', 'value',
     f'"resources": {{"first": {RANDOM}}}, "outputs": {{"a": '
     '{"value": {"get_attr": ["first", "value"|]}}}'),
    (HOT_JSON, f'"resources": {{"first": {RANDOM}, "b": {{"depends_on": '
     '["x", "fi|"]}}', 'first',
     f'"resources": {{"first": {RANDOM}, "b": {{"depends_on": '
     '["x", "first"|]}}'),
    # Numbers and booleans have no quotes of their own.
    (HOT_JSON, '"resources": {"p": {"type": "OS::Neutron::Port", '
     '"properties": {"admin_state_up": |}}}', 'true',
     '"resources": {"p": {"type": "OS::Neutron::Port", '
     '"properties": {"admin_state_up": true|}}}'),
    (HOT_JSON, '"resources": {"p": {"type": "OS::Neutron::Port", '
     '"properties": {"name": {"get_pa|}}}}', 'get_param',
     '"resources": {"p": {"type": "OS::Neutron::Port", '
     '"properties": {"name": {"get_param": |}}}}')])
def test_the_editor_completes_json_with_the_right_quotes(
        pages, language, text, name, wanted):
    assert complete(pages, language % text, name) == language % wanted


@pytest.mark.parametrize(('text', 'wanted'), [
    ('{"heat_template_version": "2021-04-16", "resources": {"a": {"type": '
     '"OS::Neutron::Port", "properties": {"fixed_ips": [{"ip', 'ip_address'),
    ('{"heat_template_version": "2021-04-16", "conditions": {"c": true}, '
     '"resources": {"a": {"condition": "', 'c'),
    ('{"heat_template_version": "', '2021-04-16'),
    ('{"AWSTempl', 'AWSTemplateFormatVersion'),
    ('{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"A": {"Type": '
     '"OS::Heat::Value", "Properties": {"value": {"Fn::Join": ["", [{"Ref": '
     '"AWS::St', 'AWS::StackName')])
def test_the_editor_completes_unfinished_json(pages, text, wanted):
    check_completion(pages, text, wanted)


def test_a_failure_is_led_back_to_its_cause(pages, service):
    path = service.create('failing', templates.NESTED_FAILURE)
    page = pages.open(f'stack{path.removeprefix("/stacks")}')
    panel = page.get_by_role('region', name='Root cause')
    expect(panel).to_contain_text('Test Resource failed')
    expect(panel).to_contain_text('OS::Heat::TestResource')
    expect(panel).to_contain_text('in the nested stack')
    panel.get_by_role(
        'link', name=re.compile('Show in the template, line [0-9]+')).click()
    expect(page.locator('.cm-activeLine')).to_contain_text(
        re.compile('^ +"[01]":$'))
    page.go_back()
    panel.get_by_role('link', name='Show in the graph').click()
    expect(page.locator('.node.is-selected')).to_have_class(
        re.compile('failed'))
    expect(page.locator('.details .reason')).to_contain_text(
        'Test Resource failed')
    panel.get_by_role('button', name='Retry').click()
    service.wait_for(lambda: service.status(path) == 'UPDATE_FAILED')
    expect(page.locator('.stack-header .badge')).to_contain_text(
        'UPDATE FAILED')


def test_an_update_is_planned_reviewed_and_executed(pages, service):
    path = service.create('planned', templates.STEPS)
    page = pages.open(f'stack{path.removeprefix("/stacks")}')
    page.get_by_role('link', name='Update', exact=True).click()
    expect(page.locator('.state-good')).to_be_visible()
    fill_editor(page, templates.STEPS.replace('length: 12', 'length: 20'))
    page.get_by_label('size').fill('4')
    expect(page.locator('.state-good')).to_be_visible()
    page.get_by_role('button', name='Preview the changes').click()
    secret = page.locator('.change').filter(has_text='OS::Heat::RandomString')
    expect(secret).to_contain_text('replace')
    expect(secret).to_contain_text('forces replacement')
    expect(secret).to_contain_text('20')
    expect(page.locator('.change.create')).to_have_count(2)
    page.get_by_role('button', name='Execute').click()
    page.get_by_role('dialog').get_by_role('button', name='Execute').click()
    expect(page.locator('.stack-header .badge')).to_contain_text('UPDATE')
    expect(page.locator('.stack-header .badge')).to_contain_text(
        'UPDATE COMPLETE')
    outputs = service.call('GET', path)['stack']['outputs']
    assert len(outputs[0]['output_value']) == 20


def test_nested_stacks_unfold_and_edges_say_why(pages, service):
    path = service.create('nested', templates.STEPS)
    page = pages.open(f'stack{path.removeprefix("/stacks")}')
    expect(page.locator('.node')).to_have_count(5)
    node(page, 'servers').locator('.fold').click()
    expect(page.locator('.node')).to_have_count(7)
    expect(node(page, '1')).to_be_visible()
    node(page, 'balancer').focus()
    page.keyboard.press('Enter')
    details = page.get_by_role('complementary', name='Details')
    expect(details).to_contain_text('servers depends_on')
    expect(details).to_contain_text(
        'get_attr: secret.value (properties.value)')
    details.get_by_role('button', name='secret').click()
    expect(details.get_by_role('heading', name='secret')).to_be_visible()
    expect(details).to_contain_text('Needed by')


def test_the_timeline_marks_what_the_end_waited_for(pages, service):
    path = service.create('timed', templates.STEPS)
    page = pages.open(f'stack{path.removeprefix("/stacks")}/timeline')
    bars = page.locator('g.bar')
    expect(bars.first).to_be_visible()
    assert bars.count() >= 7
    expect(page.locator('g.bar.critical').filter(
        has_text='network')).to_have_count(1)
    legend = page.get_by_role('list', name='Legend')
    for text in ('waits for dependencies', 'waits for a turn', 'acts',
                 'polls until it has ended'):
        expect(legend).to_contain_text(text)
    balancer = page.locator('g.bar[aria-label^="balancer,"]')
    expect(balancer.locator('.wait.dependencies')).to_have_count(1)
    expect(balancer.locator('.act')).to_have_count(1)
    assert 'for dependencies' in balancer.get_attribute('aria-label')


def test_markup_is_shown_as_text(pages, service):
    path = service.create('hostile', templates.HOSTILE, tags='<u>tag</u>')
    stack = path.removeprefix('/stacks')
    for tab in ('topology', 'resources', 'events', 'timeline', 'outputs',
                'template', 'changes'):
        page = pages.open(f'stack{stack}/{tab}')
        expect(page.locator('.description')).to_contain_text(
            templates.MARKUP)
        expect(page.locator('.tab > *').first).to_be_visible()
        page.wait_for_timeout(300)
        for tag in ('img[src="x"]', 'script:not([src])', 'main b', 'main i',
                    'main u'):
            assert page.locator(tag).count() == 0, (tab, tag)
    page = pages.open(f'stack{stack}/outputs')
    expect(page.locator('pre.value').first).to_contain_text(templates.MARKUP)
    page = pages.open('stacks')
    expect(page.get_by_text('<u>tag</u>')).to_be_visible()


def test_hostile_errors_are_text(pages):
    page = pages.open('editor')
    fill_editor(page, 'heat_template_version: 2021-04-16\n'
                      f'"{templates.MARKUP}": {{}}\n')
    expect(page.locator('.problem-line').first).to_contain_text('onerror')
    assert page.locator('.problem-line img').count() == 0


def test_the_search_finds_names_and_tags(pages, service):
    service.create('searched', templates.many(1), tags='gold')
    page = pages.open('stacks')
    page.get_by_label('Search stacks').fill('#gold')
    expect(page.locator('.rows .row')).to_have_count(1)
    page.get_by_label('Search stacks').fill('no such stack')
    expect(page.get_by_text('No stack matches')).to_be_visible()


def test_a_stack_is_deleted_from_the_list(pages, service):
    service.create('doomed', templates.many(1))
    page = pages.open('stacks')
    page.get_by_label('Select doomed').check()
    page.get_by_role('button', name='Delete').click()
    page.get_by_role('dialog').get_by_role('button', name='Delete').click()
    expect(page.get_by_role('link', name='doomed')).to_have_count(0)


def test_a_thousand_resources_stay_usable(pages, service):
    path = service.create('large', templates.many(1000))
    page = pages.open('stacks')
    expect(page.get_by_role('link', name='large')).to_be_visible()
    used = chromium.stopwatch(page)
    before = used()
    page.get_by_role('link', name='large').click()
    expect(page.locator('.node')).to_have_count(1000)
    assert used() - before < 2
    page.get_by_label('Find a resource').fill('item_777')
    page.keyboard.press('Enter')
    expect(page.locator('.node.is-selected')).to_have_attribute(
        'data-name', 'item_777')
    page.get_by_role('button', name='Fit').click()
    page.wait_for_timeout(1000)
    before = used()
    page.wait_for_timeout(1000 * IDLE)
    assert (used() - before) / IDLE < 0.1, (
        'the page works although nothing happens')
    service.call('DELETE', path)


def test_the_page_survives_the_end_of_the_service(pages, service):
    path = service.create('surviving', templates.STEPS, waits=False)
    page = pages.open(f'stack{path.removeprefix("/stacks")}')
    expect(page.locator('.node')).not_to_have_count(0)
    service.stop(signal.SIGKILL)
    expect(page.locator('.connection')).to_contain_text('connection lost')
    service.start()
    expect(page.locator('.stack-header .badge')).to_contain_text(
        'CREATE COMPLETE')
    expect(page.locator('.connection')).not_to_contain_text('lost')


def test_two_tabs_see_the_same(pages, service):
    first = pages.open('stacks')
    second = pages.open('stacks')
    service.create('shared', templates.many(1))
    for page in (first, second):
        expect(page.get_by_role('link', name='shared')).to_be_visible()


def test_an_end_while_the_page_loads_is_seen(pages, service):
    path = service.create('hasty', """heat_template_version: 2021-04-16
resources:
  r: {type: OS::Heat::TestResource, properties: {wait_secs: 3}}
""", waits=False)
    page = pages.open('plans')

    def hold(route):
        service.wait_for(lambda: 'IN_PROGRESS' not in service.status(path))
        route.continue_()

    # The newest event is that of the end, whatever else has been read.
    page.route('**/events?*sort_dir=desc*', hold)
    page.goto(f'{page.url.split("#")[0]}#/demo/stack'
              f'{path.removeprefix("/stacks")}')
    expect(page.locator('.stack-header .badge')).to_contain_text(
        'CREATE COMPLETE')
    page.unroute_all(behavior='wait')
