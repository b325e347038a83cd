import gzip
import pathlib
import re

import pytest

from heat.console import assets


@pytest.fixture
def root(tmp_path):
    (tmp_path / 'index.html').write_text('<!doctype html>')
    (tmp_path / 'js').mkdir()
    (tmp_path / 'js' / 'main.js').write_text('export {};')
    (tmp_path / 'js' / 'main.py').write_text('secret')
    (tmp_path / '.htaccess').write_text('secret')
    return tmp_path


def test_files_are_found_by_their_paths(root):
    found = assets.load(root)
    assert set(found) == {'index.html', 'js/main.js'}
    assert found['js/main.js'].body == b'export {};'
    assert found['js/main.js'].content_type == (
        'text/javascript; charset=utf-8')


def test_both_forms_have_the_same_content(root):
    asset = assets.load(root)['index.html']
    assert gzip.decompress(asset.compressed) == asset.body


def test_the_tag_changes_with_the_content(root):
    before = assets.load(root)
    (root / 'index.html').write_text('<!doctype html><title>x</title>')
    after = assets.load(root)
    assert before['index.html'].etag != after['index.html'].etag
    assert before['js/main.js'].etag == after['js/main.js'].etag


def test_the_package_has_all_that_its_pages_name():
    found = assets.load()
    for path, asset in found.items():
        if not path.startswith('js/'):
            continue
        text = asset.body.decode()
        for name in _imported(text):
            wanted = (pathlib.PurePosixPath('/') / path).parent / name
            resolved = str(pathlib.Path(str(wanted)).resolve())[1:]
            assert resolved in found, f'{path} imports {name}'


def test_the_package_compresses_to_less_than_its_budget():
    assert sum(len(asset.compressed)
               for asset in assets.load().values()) < 1_500_000


def _imported(text):
    return re.findall(r"""(?:from|import)\s*\(?\s*'(\.[^']+)'""", text)
