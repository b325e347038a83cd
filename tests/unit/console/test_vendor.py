"""The built third-party code is what its sources make."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
VENDOR = ROOT / 'heat' / 'console' / 'static' / 'vendor'
TOOLS = ROOT / 'tools' / 'console'
#: Licences under which the packages may be distributed with ours.
FREE = {'MIT', 'ISC'}


def test_each_part_is_there_with_its_licence():
    text = (VENDOR / 'NOTICES.txt').read_text()
    parts = re.findall(r'^=+\n(\S+) (\S+) \((.+)\)\n=+$', text,
                       re.MULTILINE)
    assert {name for name, _version, _licence in parts} >= {
        '@codemirror/view', '@lezer/yaml', 'style-mod', 'yaml'}
    assert {licence for *_rest, licence in parts} <= FREE


@pytest.mark.skipif(not (TOOLS / 'node_modules').is_dir()
                    or shutil.which('node') is None,
                    reason='run npm ci in tools/console first')
def test_the_build_gives_what_is_committed(tmp_path):
    subprocess.run(['node', 'build.mjs', '--out', str(tmp_path)], cwd=TOOLS,
                   check=True)
    for path in VENDOR.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
