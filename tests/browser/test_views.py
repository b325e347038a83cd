"""Properties of all views: accessibility, languages, colours, speed."""
import os
import pathlib
import re

from playwright.sync_api import expect
import pytest

from tests.browser import chromium
from tests.browser import templates

IMAGES = (pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'source' /
          'user_guide' / 'images')
#: Set to make the pictures of the documentation anew.
PICTURES = 'HEAT_CONSOLE_PICTURES'


@pytest.fixture(scope='module')
def shop(service):
    """Return the path of a stack to look at."""
    return service.create('shop', templates.STEPS, tags='production,eu')


@pytest.fixture(scope='module')
def failed(service):
    """Return the path of a stack that has failed."""
    return service.create('payments', templates.NESTED_FAILURE)


@pytest.fixture(scope='module')
def deployment(service):
    """Return the id of a software deployment that has an output."""
    config = service.call('POST', '/software_configs', {
        'name': 'install', 'group': 'script', 'config': 'true'})
    made = service.call('POST', '/software_deployments', {
        'config_id': config['software_config']['id'], 'server_id': 'server',
        'status': 'IN_PROGRESS'})['software_deployment']['id']
    service.call('PUT', f'/software_deployments/{made}', {
        'status': 'COMPLETE', 'status_reason': 'The script has ended.',
        'output_values': {'deploy_stdout': 'Installed.'}})
    return made


@pytest.fixture(scope='module')
def plan(service, shop):
    """Return the path of a change set in the console."""
    found = service.call('POST', f'{shop}/change_sets', {
        'name': 'longer', 'existing': True, 'parameters': {'size': 3},
        'template': templates.STEPS.replace('length: 12', 'length: 20'),
        })['change_set']
    return f'plans/{found["id"]}{shop.removeprefix("/stacks")}'


VIEWS = {
    'stacks': ('stacks', '.rows .row'),
    'topology': ('{shop}/topology', '.node'),
    'resources': ('{shop}/resources', 'tbody tr'),
    'events': ('{shop}/events', 'tbody tr'),
    'timeline': ('{shop}/timeline', 'g.bar'),
    'outputs': ('{shop}/outputs', '.output'),
    'template': ('{shop}/template', '.cm-line'),
    'changes': ('{shop}/changes', 'tbody tr'),
    'drift': ('{shop}/drift', '.nothing'),
    'failure': ('{failed}', '.failure'),
    'editor': ('editor', '.state-good'),
    'plan': ('{plan}', '.change'),
    'plans': ('plans', 'tbody tr'),
    'types': ('types/OS::Heat::RandomString', 'tbody tr'),
    'deployments': ('deployments/{deployment}', '.details pre.value'),
    'services': ('services', 'tbody tr'),
}


@pytest.fixture
def open_view(pages, shop, failed, plan, deployment):
    """Return a function that opens a view and waits for what it shows."""
    def open_it(name, **options):
        path, mark = VIEWS[name]
        page = pages.open(path.format(
            shop=f'stack{shop.removeprefix("/stacks")}', plan=plan,
            deployment=deployment,
            failed=f'stack{failed.removeprefix("/stacks")}'), **options)
        expect(page.locator(mark).first).to_be_visible()
        return page
    return open_it


@pytest.mark.parametrize('language', ['en-GB', 'de-DE'])
@pytest.mark.parametrize('name', VIEWS)
def test_nobody_is_excluded(open_view, check_access, name, language):
    check_access(open_view(name, locale=language))


def older(answer):
    """Return an answer as the former release has it."""
    for each in answer.get('services', ()):
        (each.get('load') or {}).pop('metrics', None)
    return answer


def cells_of_metrics(page):
    """Return the texts of the first engine by the heading of the column."""
    own = page.get_by_role('region', name=re.compile('^Metri'))
    return dict(zip(own.locator('thead th').all_inner_texts(),
                    own.locator('tbody tr').first.locator('td')
                    .all_inner_texts(), strict=True))


def test_the_page_of_engines_says_what_they_have_done(open_view):
    found = cells_of_metrics(open_view('services', locale='de-DE'))
    assert int(found['Aktionen gelungen'].replace('.', '')) > 0
    assert int(found['Aktionen gescheitert'].replace('.', '')) > 0
    assert int(found['SQL-Anweisungen'].replace('.', '')) > 100
    assert re.fullmatch(r'\d+ MB|\d(,\d)? GB', found['Speicher'])
    assert re.search('[1-9]', found['CPU-Zeit'])
    assert found['Dauer einer Aktion'].endswith((' s', ' min'))


def test_engines_of_the_former_release_tell_no_metrics(open_view):
    found = cells_of_metrics(open_view('services', change=older))
    assert [found[name] for name in (
        'Actions done', 'Actions per second', 'Memory')] == ['–'] * 3


def test_details_of_a_resource_exclude_nobody(open_view, check_access):
    page = open_view('topology')
    page.locator('.node').first.click()
    expect(page.locator('.details h2')).to_be_visible()
    check_access(page)


def test_questions_exclude_nobody(open_view, check_access):
    page = open_view('stacks')
    page.get_by_label('Select shop').check()
    page.get_by_role('button', name='Delete').click()
    expect(page.get_by_role('dialog')).to_be_visible()
    check_access(page)


def test_problems_exclude_nobody(open_view, check_access):
    page = open_view('editor')
    page.locator('.cm-content').click()
    page.keyboard.press('Control+A')
    page.keyboard.press('Delete')
    page.keyboard.insert_text('heat_template_version: 1999-01-01\nresource')
    expect(page.locator('.problem-line').first).to_be_visible()
    check_access(page)


#: Fields that the service chooses; pages take them for more than text.
KEPT = re.compile(
    'id|.*_id|href|rel|.*_at|.*_time|.*status|action|phase|resource_type|'
    'type|permissions')


def spoiled(value, key=''):
    """Return an answer of the API with markup in all texts."""
    if isinstance(value, dict):
        return {name: spoiled(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [spoiled(each, key) for each in value]
    if isinstance(value, str) and not KEPT.fullmatch(key):
        return value + templates.MARKUP
    return value


@pytest.mark.parametrize('name', VIEWS)
def test_markup_in_answers_is_shown_as_text(open_view, name):
    page = open_view(name, change=spoiled)
    shown = page.locator('main, .cm-content').filter(has_text='onerror')
    expect(shown.first).to_be_visible()
    page.wait_for_timeout(300)
    assert page.locator('img[src="x"], script:not([src])').count() == 0


def test_the_page_speaks_german(open_view):
    page = open_view('topology', locale='de-DE')
    expect(page.get_by_role('link', name='Zeitverlauf')).to_be_visible()
    assert page.locator('html').get_attribute('lang') == 'de'
    page.get_by_label('Sprache').select_option('en')
    expect(page.get_by_role('link', name='Timeline')).to_be_visible()


def test_colours_can_be_chosen(open_view):
    page = open_view('stacks', color_scheme='light')
    colour = '() => getComputedStyle(document.body).backgroundColor'
    light = page.evaluate(colour)
    page.get_by_label('Colours').select_option('dark')
    dark = page.evaluate(colour)
    assert light != dark
    page.reload()
    expect(page.locator('.rows .row').first).to_be_visible()
    assert page.evaluate(colour) == dark


def test_the_keyboard_reaches_a_stack_and_its_resources(open_view):
    page = open_view('stacks')
    page.keyboard.press('Tab')
    expect(page.get_by_role('link', name='Skip to content')).to_be_focused()
    page.get_by_role('link', name='shop').focus()
    page.keyboard.press('Enter')
    first = page.locator('.node[tabindex="0"]')
    expect(first).to_be_visible()
    first.focus()
    page.keyboard.press('ArrowRight')
    page.keyboard.press('Enter')
    expect(page.locator('.node.is-selected')).to_have_count(1)
    page.keyboard.press('Escape')
    expect(page.locator('.node.is-selected')).to_have_count(0)


def test_the_first_view_is_there_soon(pages):
    page = pages.open('stacks')
    used = chromium.stopwatch(page)
    page.reload()
    expect(page.locator('h1')).to_be_visible()
    assert 0 < used() < 1


def test_nothing_comes_from_elsewhere(pages, service):
    asked = []
    page = pages.open('stacks')
    page.on('request', lambda request: asked.append(request.url))
    page.reload()
    page.goto(f'{service.url}/console/#/demo/editor')
    expect(page.locator('.state-good')).to_be_visible()
    assert [url for url in asked if not url.startswith(service.url)] == []


@pytest.mark.skipif(PICTURES not in os.environ,
                    reason=f'{PICTURES} is not set')
@pytest.mark.parametrize('name', ['stacks', 'topology', 'failure', 'editor',
                                  'plan', 'timeline'])
def test_pictures_of_the_documentation(open_view, name):
    page = open_view(name)
    if name == 'topology':
        page.get_by_role('button', name='Unfold all').click()
        page.locator('.node[data-name="balancer"]').click()
        expect(page.locator('.details h3').first).to_be_visible()
    page.wait_for_timeout(800)
    page.mouse.move(5, 5)
    IMAGES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=IMAGES / f'{name}.png')
