"""The drift of a stack in the console."""
import pathlib

from playwright.sync_api import expect
import pytest

from tests.browser import conftest

PLUGINS = pathlib.Path(__file__).parent / 'plugins'
TEMPLATE = """heat_template_version: 2021-04-16
resources:
  kept: {type: Test::Note, properties: {text: same}}
  changed: {type: Test::Note, properties: {text: as it was}}
  gone: {type: Test::Note, properties: {text: here}}
  silent: {type: OS::Heat::RandomString}
"""


@pytest.fixture(scope='module')
def notes(tmp_path_factory):
    """Return the directory of what the stack has made."""
    return tmp_path_factory.mktemp('notes')


@pytest.fixture(scope='module')
def service(tmp_path_factory, notes):
    """Return a service that knows a type whose things can be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('HEAT_TEST_NOTES', str(notes))
        own = conftest.Service(tmp_path_factory.mktemp('heat'),
                               f'[DEFAULT]\nplugin_dirs = {PLUGINS}\n')
        own.start()
    yield own
    own.stop()


def note(notes, name):
    [found] = notes.glob(f'drifting-{name}-*')
    return found


def open_drift(pages, path):
    return pages.open(f'stack{path.removeprefix("/stacks")}/drift')


def change(page, name):
    return page.locator('.change').filter(
        has=page.get_by_text(name, exact=True))


def test_drift_is_detected_shown_and_reverted(pages, service, notes,
                                              check_access):
    path = service.create('drifting', TEMPLATE)
    page = open_drift(pages, path)
    expect(page.get_by_text('has not been compared')).to_be_visible()
    check_access(page)
    note(notes, 'changed').write_text('<b>renamed</b>')
    note(notes, 'gone').unlink()
    page.get_by_role('button', name='Detect drift').focus()
    page.keyboard.press('Enter')
    expect(page.locator('.drift-summary')).to_contain_text('1 modified')
    expect(page.locator('.drift-summary')).to_contain_text('1 deleted')
    expect(page.locator('.drift-summary')).to_contain_text('asked for by')
    changed = change(page, 'changed')
    expect(changed.locator('td')).to_have_text(
        ['text', 'as it was', '<b>renamed</b>'])
    expect(change(page, 'gone')).to_contain_text('deleted')
    expect(change(page, 'kept')).to_contain_text('in sync')
    expect(change(page, 'silent')).to_contain_text('does not read')
    assert page.locator('main b').count() == 0
    check_access(page)
    page.get_by_label('only what has drifted').check()
    expect(page.locator('.change')).to_have_count(2)
    page.get_by_role('button', name='Plan the way back').click()
    expect(page.locator('.change').filter(has_text='drift').first
           ).to_be_visible()
    page.get_by_role('button', name='Execute').click()
    page.get_by_role('dialog').get_by_role('button', name='Execute').click()
    expect(page.locator('.stack-header .badge')).to_contain_text(
        'UPDATE COMPLETE')
    assert note(notes, 'changed').read_text() == 'as it was'
    assert note(notes, 'gone').read_text() == 'here'
    page.get_by_role('link', name='Drift').click()
    page.get_by_role('button', name='Detect drift').click()
    expect(page.locator('.drift-summary')).to_contain_text('3 in sync')
    expect(page.get_by_role('button', name='Plan the way back')).to_be_hidden()
    page.get_by_label('only what has drifted').check()
    expect(page.get_by_text('Nothing has drifted.')).to_be_visible()


def test_progress_and_failures_are_said(pages, service):
    path = service.create('compared', TEMPLATE)
    page = open_drift(pages, path)
    expect(page.get_by_text('has not been compared')).to_be_visible()
    answers = iter([
        {'status': 'DETECTION_IN_PROGRESS', 'drift': None,
         'progress': {'examined': 3, 'total': 4}},
        {'status': 'DETECTION_FAILED', 'drift': None,
         'status_reason': 'There is no <i>way</i>.',
         'progress': {'examined': 3, 'total': 4}}])
    page.route('**/drift', lambda route: route.fulfill(json={'drift': {
        'counts': {}, 'creator': None, 'resources': [], 'left_out': 0,
        'creation_time': '2026-01-01T00:00:00Z', **next(answers)}}))
    page.get_by_role('button', name='Detect drift').click()
    expect(page.locator('progress')).to_have_attribute('max', '4')
    expect(page.get_by_text('3 of 4')).to_be_visible()
    expect(page.get_by_text('There is no <i>way</i>.')).to_be_visible()
    expect(page.get_by_text('begun by the service')).to_be_visible()
    expect(page.get_by_role('button', name='Detect drift')).to_be_enabled()
