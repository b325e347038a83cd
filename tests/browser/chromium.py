"""Chromium, and the CPU time that its pages take."""
import contextlib
import shutil

from playwright import sync_api

#: Debian's browser, not one that a package of Python downloads.
_NAMES = ('chromium', 'chromium-browser', 'google-chrome')
SIZE = {'width': 1280, 'height': 780}


class NotInstalled(Exception):
    """There is no Chromium."""

    def __init__(self):
        super().__init__('There is no Chromium; tools/test browser installs '
                         'it.')


@contextlib.contextmanager
def running():
    """Run a browser for a with block.

    :raises NotInstalled: there is none.
    """
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        raise NotInstalled
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=['--no-sandbox'])
        yield browser
        browser.close()


def stopwatch(page):
    """Return a function that returns the seconds of CPU time a page has taken.

    It is that of its main thread, which runs scripts and lays pages out, so
    other programs of the machine do not change it.
    """
    session = page.context.new_cdp_session(page)
    session.send('Performance.enable', {'timeDomain': 'threadTicks'})

    def used():
        found = session.send('Performance.getMetrics')['metrics']
        return next(each['value'] for each in found
                    if each['name'] == 'TaskDuration')
    return used
