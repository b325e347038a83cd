"""How Sphinx builds the documentation."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'ext'))

project = 'Heat'
author = 'the Heat authors'
extensions = ['api_reference']
master_doc = 'index'
html_theme = 'alabaster'
html_theme_options = {
    'description': 'Templates become running infrastructure.',
    'fixed_sidebar': True,
}
html_show_sourcelink = False
pygments_style = 'sphinx'
highlight_language = 'none'
man_pages = [
    ('man/heat-template', 'heat-template',
     'check, lay out, convert, draw templates', [author], 1),
]
