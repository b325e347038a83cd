"""The pages for contributors describe the code as it is."""
import pathlib
import re

from tests.unit import test_layering

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / 'CONTRIBUTING.rst',
         ROOT / 'doc/source/contributor/architecture.rst']


def paths_in(page):
    return set(re.findall(r'``((?:heat|tests|doc)/[\w/.-]+)``',
                          page.read_text()))


def test_the_paths_exist():
    missing = {f'{page.name}: {path}' for page in PAGES
               for path in paths_in(page) if not (ROOT / path).exists()}
    assert missing == set()


def test_the_architecture_page_names_each_package():
    named = {path.rstrip('/') for path in paths_in(PAGES[1])}
    packages = {str(path.parent.relative_to(ROOT))
                for module, path in test_layering.modules().items()
                if test_layering.is_package(module)}
    packages = {path for path in packages if path != 'heat/engine' and (
        path.count('/') == 1
        or path.startswith('heat/engine/') and path.count('/') == 2)}
    assert packages - named == set()
