"""How Sphinx builds the documentation."""
project = 'Heat'
author = 'the Heat authors'
extensions = []
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
