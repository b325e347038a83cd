"""Carry out deployments: run their configs, and signal what came of it.

It runs in a guest, by os-refresh-config, with nothing of ours at hand.
"""
import json
import os
import subprocess
import tempfile

from keystoneclient.v3 import client as keystone
import requests

DONE = '/var/lib/heat-config'


def main():
    """Carry out what has not been carried out yet."""
    os.makedirs(DONE, mode=0o700, exist_ok=True)
    for deployment in collected():
        mark = os.path.join(DONE, deployment['id'])
        if deployment['group'] == 'script' and not os.path.exists(mark):
            inputs = {each['name']: each.get('value')
                      for each in deployment['inputs']}
            outputs = run(deployment, inputs)
            signal(inputs, outputs)
            with open(mark, 'w') as done:
                json.dump(outputs, done)


def collected():
    """Return the deployments of all files that were collected."""
    found = {}
    for path in os.environ['OS_CONFIG_FILES'].split(':'):
        with open(path) as file:
            metadata = json.load(file)
        if isinstance(metadata, dict):
            found.update((each['id'], each)
                         for each in metadata.get('deployments') or ())
    return found.values()


def run(deployment, inputs):
    """Run the config; return the outputs."""
    with tempfile.TemporaryDirectory() as directory:
        script = os.path.join(directory, 'script')
        with open(script, 'w') as file:
            file.write(deployment['config'])
        os.chmod(script, 0o700)
        # Scripts write an output to $heat_outputs_path.<its name>.
        prefix = os.path.join(directory, 'output')
        done = subprocess.run([script], capture_output=True, text=True,
                              check=False, env={
            **os.environ, 'heat_outputs_path': prefix,
            **{name: str(value) for name, value in inputs.items()}})
        outputs = {'deploy_stdout': done.stdout,
                   'deploy_stderr': done.stderr,
                   'deploy_status_code': done.returncode}
        for output in deployment['outputs']:
            path = '%s.%s' % (prefix, output['name'])
            if os.path.exists(path):
                with open(path) as file:
                    outputs[output['name']] = file.read().strip()
    return outputs


def signal(inputs, outputs):
    """Send the outputs the way that the inputs say."""
    if 'deploy_queue_id' in inputs:
        url, headers = catalogue(inputs, 'messaging')
        send('POST', '%s/v2/queues/%s/messages' % (
            url, inputs['deploy_queue_id']),
            {'messages': [{'body': outputs, 'ttl': 300}]},
            {**headers,
             'Client-ID': '00000000-0000-4000-8000-000000000001'})
    elif 'deploy_signal_id' in inputs:
        send(inputs.get('deploy_signal_verb') or 'POST',
             inputs['deploy_signal_id'], outputs, {})
    elif 'deploy_auth_url' in inputs:
        url, headers = catalogue(inputs, 'orchestration')
        send('POST', '%s/stacks/%s/resources/%s/signal' % (
            url, inputs['deploy_stack_id'],
            inputs['deploy_resource_name']), outputs, headers)


def catalogue(inputs, kind):
    """Return the URL of a service, and headers with a token for it."""
    client = keystone.Client(
        auth_url=inputs['deploy_auth_url'],
        user_id=inputs['deploy_user_id'],
        password=inputs['deploy_password'],
        project_id=inputs['deploy_project_id'])
    client.authenticate()
    url = client.service_catalog.url_for(
        service_type=kind, endpoint_type='publicURL',
        region_name=inputs.get('deploy_region_name'))
    return url.rstrip('/'), {'X-Auth-Token': client.auth_token}


def send(method, url, body, headers):
    """Send JSON, which has to be taken."""
    answer = requests.request(
        method, url, data=json.dumps(body), timeout=60, headers={
            'Content-Type': 'application/json', **headers})
    assert answer.status_code < 300, answer.text


if __name__ == '__main__':
    main()
