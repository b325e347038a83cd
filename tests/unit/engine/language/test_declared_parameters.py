"""The parameters that the templates of a request declare."""
import json

from heat.common import config
from heat.engine import template
from tests.fakes import definitions


def test_of_templates_in_files_a_parameter_that_is_wrong_has_no_schema():
    config.register_opts()
    schemata = template.Template(definitions.hot()).all_param_schemata({
        'hot.yaml': json.dumps(definitions.hot(parameters={
            'wrong': {'type': 'none such'}, 'list': {
                'type': 'comma_delimited_list', 'default': 'a'}})),
        'cfn.template': json.dumps({
            'AWSTemplateFormatVersion': '2010-09-09', 'Parameters': {
                'Size': {'Type': 'Number'}}, 'Resources': {}})})
    assert set(schemata) == {'wrong', 'list', 'Size'}
    assert schemata['wrong'] is None
    assert schemata['list'].type == 'comma_delimited_list'
    assert schemata['Size'].type == 'Number'
