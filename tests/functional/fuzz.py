"""Requests made up from the description of the API, about real things.

What the description allows is so wide that a made-up id names nothing, and
a made-up template is none; so that requests get further, real ones are put
in their place now and then.
"""
import dataclasses
import json
import re
from urllib import parse
import uuid

from hypothesis import strategies as st
import schemathesis
from schemathesis.core import NotSet

from heat.api.openstack.v1 import openapi
from tests.functional import rest
from tests.functional.templates import hot
from tests.functional.templates import thing

DESCRIPTION = openapi.document('http://localhost')
SCHEMA = schemathesis.openapi.from_dict(DESCRIPTION)
OPERATIONS = [(method.upper(), path)
              for path, methods in DESCRIPTION['paths'].items()
              for method in methods]
TEMPLATE = hot({
    'a': thing(value='x', metadata={'m': 1}),
    'b': thing(depends_on='a', value={'get_param': 'p'}),
    'f': {'type': 'inner.yaml'},
}, parameters={'p': {'type': 'string', 'default': 'd'},
               'h': {'type': 'string', 'default': 'd', 'hidden': True},
               'n': {'type': 'number', 'default': 1}},
    outputs={'o': {'value': {'get_attr': ['a', 'value']}}})
FILES = {'inner.yaml': json.dumps(hot({'i': thing()}))}
TEMPLATES = (
    TEMPLATE, hot(), hot({'a': thing(value='y')}), json.dumps(TEMPLATE),
    hot({'a': {'type': 'Test::Broken'}, 'd': {'type': 'Test::Deaf'}}),
    hot({'a': thing(fail=['CREATE'])}),
    hot({'a': {'type': 'OS::Nova::Server'}}),
    hot({'a': {'type': 'OS::Heat::WaitCondition',
               'properties': {'handle': {'get_resource': 'a'}}}}),
    hot({'a': {'type': ['x']}}), hot({'a': {}}), hot(parameters={'p': {}}),
    {'heat_template_version': 2015}, {'AWSTemplateFormatVersion': 'x'},
    {'HeatTemplateFormatVersion': '2012-12-12', 'Resources': {
        'a': {'Type': 'Test::Thing', 'Properties': {'fail': 7}}}},
    'heat_template_version: 2018-08-31\nresources: {a: {type: x}}', '{')


@dataclasses.dataclass
class Things:
    """Real things that requests can be about, in a project of its own."""

    api: rest.Client
    stack: rest.Stack | None = None
    values: dict = dataclasses.field(default_factory=dict)

    def renew(self):
        """Make a stack with all that can hang on one."""
        if self.stack:
            self.stack.request('PUT', 'protection',
                               {'termination_protection': False})
            self.stack.request('DELETE')
        self.stack = stack = self.api.created(
            f's{uuid.uuid4().hex[:8]}', TEMPLATE, files=FILES, tags='t')
        snapshot = stack.request('POST', 'snapshots', {}, expect=200).json
        rest.wait_for(
            lambda: stack.get(f'snapshots/{snapshot["id"]}')['snapshot'][
                'status'] == 'COMPLETE', 'the snapshot')
        event = next(each for each in stack.get('events')['events']
                     if each['resource_name'] == 'a')
        config = self.api.post('software_configs', {
            'name': 'c', 'inputs': [{'name': 'i'}]})['software_config']
        deployment = self.api.post('software_deployments', {
            'config_id': config['id'], 'server_id': 'v'})[
                'software_deployment']
        change_set = stack.request('POST', 'change_sets', {
            'template': TEMPLATE, 'files': FILES}, expect=201).json[
                'change_set']
        stack.request('POST', 'drift', expect=202)
        self.values = {
            'change_set_id': change_set['id'],
            'stack_name': stack.name, 'stack_id': stack.id,
            'resource_name': 'a', 'event_id': event['id'],
            'snapshot_id': snapshot['id'], 'output_key': 'o',
            'config_id': config['id'], 'deployment_id': deployment['id'],
            'server_id': 'v', 'type_name': 'OS::Heat::Value',
            'template_version': 'heat_template_version.2018-08-31'}

    def settle(self):
        """Have a stack that is there, and at rest."""
        def status():
            return self.stack.show()['stack_status']

        rest.wait_for(lambda: not status().endswith('IN_PROGRESS'),
                      lambda: self.stack.show())
        if status().startswith('DELETE'):
            self.renew()


def requests(method, path):
    """Return a strategy of requests of an operation.

    One is a case of schemathesis, the parts of the path that a real thing
    is put in for, and a template to use instead of the case's.
    """
    operation = SCHEMA[path][method]
    placeholders = [part[1:-1] for part in path.split('/')
                    if part.startswith('{') and part != '{tenant_id}']
    return st.tuples(
        operation.as_strategy() | operation.as_strategy(
            generation_mode=schemathesis.GenerationMode.NEGATIVE),
        st.just(placeholders) | st.lists(
            st.sampled_from(placeholders), unique=True)
        if placeholders else st.just([]),
        st.none() | st.sampled_from(TEMPLATES))


def send(things, case, real, template):
    """Send a case, with real things in place of made-up ones."""
    values = {name: parse.unquote(str(value))
              for name, value in (case.path_parameters or {}).items()}
    values.update({name: things.values[name] for name in real})
    values['tenant_id'] = things.api.project
    path = re.sub(r'{(\w+)}', lambda found: parse.quote(
        values.get(found[1], 'x'), safe=''), case.path)
    body = None if isinstance(case.body, NotSet) else case.body
    if isinstance(body, dict) and template is not None and (
            _takes_template(case)):
        body = {**body, 'template': template}
        body.setdefault('files', FILES)
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body, default=str).encode()
    query = {name: value for name, value in (case.query or {}).items()
             if name not in ('method', 'path', 'body', 'raw', 'headers')}
    return things.api.request(case.method, path, raw=body, **query)


def _takes_template(case):
    body = DESCRIPTION['paths'][case.path][case.method.lower()].get(
        'requestBody')
    return body and 'template' in body['content']['application/json'][
        'schema'].get('properties', ())
