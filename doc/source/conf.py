"""How Sphinx builds the documentation."""
import pathlib
import sys
import warnings

# A library that is imported for the reference has this to say to its users.
warnings.filterwarnings('ignore', message='(?s).*ventlet is deprecated')

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'ext'))

project = 'Heat'
author = 'the Heat authors'
extensions = ['api_reference', 'release_notes', 'resource_reference']
master_doc = 'index'
html_theme = 'furo'
html_title = 'Heat'
html_show_sourcelink = False
highlight_language = 'none'
man_pages = [
    (f'man/{name}', name, what, [author], 1) for name, what in (
        ('heat-all', 'run all of Heat in one process'),
        ('heat-api', 'serve the REST API of Heat'),
        ('heat-api-cfn', 'serve the CloudFormation-compatible API'),
        ('heat-api-cloudwatch', 'serve the CloudWatch-compatible API'),
        ('heat-db-drop', 'remove the database of Heat'),
        ('heat-db-setup', 'make a database for Heat'),
        ('heat-engine', 'create, update and delete stacks'),
        ('heat-keystone-setup', 'make what Heat needs in Keystone'),
        ('heat-keystone-setup-domain', 'make the domain of users in stacks'),
        ('heat-manage', 'tend the database of Heat'),
        ('heat-status', 'tell whether Heat can be upgraded'),
        ('heat-template', 'check, lay out, convert, draw templates'),
    )
]
