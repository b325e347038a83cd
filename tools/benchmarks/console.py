"""What a person waits for in the console.

Chromium opens the pages of heat-all on this machine. Nothing is cached: each
attempt has a profile of its own. The best of several attempts counts, for
other programs of the machine may take one.
"""
import argparse
import statistics

from playwright import sync_api

from heat.console import assets
from tests.browser import chromium
from tools.benchmarks import measuring
from tools.benchmarks import setups
from tools.benchmarks import shapes
from tools.benchmarks import tables

ATTEMPTS, RESOURCES = 5, 1000
#: Seconds during which nothing happens.
IDLE = 20
#: Milliseconds until a page has been loaded.
PATIENCE = 60_000

#: Seconds of the views, megabytes of the files, percent of a core.
FIRST_VIEW, LARGE_VIEW, FILES, IDLE_SHARE = 1, 2, 1.5, 10

#: Runs before the page's own scripts: notes when the page has so many
#: elements, in milliseconds since it was asked for.
WATCH = """([selector, count]) => {
    const look = () => {
        if (document.querySelectorAll(selector).length >= count) {
            window.shownAfter = performance.now();
        } else {
            requestAnimationFrame(look);
        }
    };
    requestAnimationFrame(look);
}"""


def _seconds_until(browser, url, selector, count=1):
    """Return after how many seconds of the clock a page shows elements."""
    context = browser.new_context(viewport=chromium.SIZE)
    try:
        page = context.new_page()
        page.add_init_script(f'({WATCH})({[selector, count]!r})')
        page.goto(url)
        page.wait_for_function('() => window.shownAfter', timeout=PATIENCE)
        return page.evaluate('() => window.shownAfter') / 1000
    finally:
        context.close()


def _busy_share(browser, url, selector, count):
    """Return the percentage of a core a page takes while nothing happens."""
    context = browser.new_context(viewport=chromium.SIZE)
    try:
        page = context.new_page()
        page.goto(url)
        sync_api.expect(page.locator(selector)).to_have_count(
            count, timeout=PATIENCE)
        # What follows the first drawing is over.
        page.wait_for_timeout(2000)
        used = chromium.stopwatch(page)
        before = used()
        page.wait_for_timeout(1000 * IDLE)
        return (used() - before) / IDLE * 100
    finally:
        context.close()


def _large_stack(setup):
    """Create a stack of many resources; return its path in the console."""
    template = shapes.mesh(RESOURCES, changed=False)[0]
    made = setup.request('POST', '/stacks', {
        'stack_name': 'large', 'template': template})['stack']
    measuring.Watch(setup, 'large').wait('CREATE')
    return f'bench/stack/large/{made["id"]}'


def _rows(browser, setup):
    """Yield (what, measured, goal)."""
    large = _large_stack(setup)
    console = f'http://127.0.0.1:{setup.port}/console/#/'
    for what, path, selector, count, goal in (
            ('first view, s', 'bench/stacks', '.rows .row', 1, FIRST_VIEW),
            (f'graph of {RESOURCES} resources, s', large, '.node',
             RESOURCES, LARGE_VIEW)):
        times = [_seconds_until(browser, console + path, selector, count)
                 for _attempt in range(ATTEMPTS)]
        yield what, min(times), goal
        yield f'{what} (median)', statistics.median(times), None
    yield 'files, compressed, MB', sum(
        len(asset.compressed) for asset in assets.load().values()
    ) / 1_000_000, FILES
    yield f'main thread at {RESOURCES} resources, idle, %', _busy_share(
        browser, console + large, '.node', RESOURCES), IDLE_SHARE


def main(arguments):
    """Measure, print a table, and return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog='tools/bench console',
                                     description=__doc__)
    parser.parse_args(arguments)
    with (setups.running('embedded') as setup,
          chromium.running() as browser):
        rows = list(_rows(browser, setup))
    verdicts = [tables.verdict(measured, goal)
                for _what, measured, goal in rows]
    tables.show(['what', 'measured', 'goal', 'verdict'], [
        [what, f'{measured:.2f}', '-' if goal is None else goal, verdict]
        for (what, measured, goal), verdict in zip(rows, verdicts,
                                                   strict=True)])
    return int(tables.MISSED in verdicts)
