"""heat-template speaks the language of its user's locale."""
import os
import re
import subprocess
import sys

import pytest

TEMPLATE = """\
heat_template_version: 2018-08-31
parameters:
  size: {type: number}
resources:
  one:
    type: OS::Heat::Value
    properties:
      value: {get_resource: gone}
"""


def run(language, *arguments, charset='utf-8'):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('LC_', 'LANG'))}
    return subprocess.run(
        [sys.executable, '-m', 'heat.cmd.template', *arguments],
        env={**kept, 'LANGUAGE': language, 'PYTHONIOENCODING': charset},
        capture_output=True, encoding=charset, check=False)


@pytest.mark.parametrize(('language', 'texts'), [
    ('en', ['The resource "gone" does not exist in this template.',
            'nothing uses the parameter']),
    ('de', ['Die Ressource "gone" ist in dieser Vorlage nicht vorhanden. Ist '
            '"one" gemeint? Ihre Ressourcen sind: one.',
            'der Parameter wird nirgends verwendet']),
    ('ja', ['リソース "gone" はこのテンプレートに存在しません。',
            'このパラメーターはどこでも使用されていません'])])
def test_validate(tmp_path, language, texts):
    path = tmp_path / 'wrong.yaml'
    path.write_text(TEMPLATE)
    done = run(language, 'validate', str(path))
    assert done.returncode == 1, done.stderr
    for text in texts:
        assert text in done.stdout
    # What programs read in a line remains.
    assert re.search(r'(?m)wrong\.yaml:\d+:\d+: error: ', done.stdout)


@pytest.mark.parametrize(('language', 'text'), [
    ('en', 'show the changes of an update to another template'),
    ('de', 'die Änderungen einer Aktualisierung auf eine andere Vorlage '
           'zeigen'),
    ('fr', 'show the changes of an update to another template')])
def test_help(language, text):
    done = run(language, '--help')
    assert done.returncode == 0, done.stderr
    assert text in ' '.join(done.stdout.split())


def test_a_terminal_with_an_8_bit_character_set(tmp_path):
    path = tmp_path / 'wrong.yaml'
    path.write_text(TEMPLATE)
    done = run('de', 'validate', str(path), charset='iso-8859-1')
    assert 'wird nirgends verwendet' in done.stdout
    assert 'Traceback' not in done.stderr
