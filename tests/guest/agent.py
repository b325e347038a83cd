"""os-collect-config in a machine, as an image that supports it has it.

os-collect-config asks where the metadata say, and runs os-refresh-config
when they change. That has os-apply-config write the configuration of
os-collect-config, and then runs hook.py, which carries out deployments.
"""
import contextlib
import pathlib
import signal
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = '/etc/os-collect-config.conf'
_SCRIPTS = '/opt/image/refresh'
_TEMPLATES = '/opt/image/templates'

#: Before it knows better, it looks into the file that user data leave.
_FIRST = """\
[DEFAULT]
command = os-refresh-config
collectors = heat_local
polling_interval = 2
"""

_TEMPLATE = """\
[DEFAULT]
command = os-refresh-config
polling_interval = 2
{{#os-collect-config}}
{{#collectors}}
collectors = {{.}}
{{/collectors}}
{{#cfn}}
[cfn]
metadata_url = {{metadata_url}}
access_key_id = {{access_key_id}}
secret_access_key = {{secret_access_key}}
stack_name = {{stack_name}}
path = {{path}}
{{/cfn}}
{{#heat}}
[heat]
auth_url = {{auth_url}}
user_id = {{user_id}}
password = {{password}}
project_id = {{project_id}}
stack_id = {{stack_id}}
resource_name = {{resource_name}}
region_name = {{region_name}}
{{/heat}}
{{#zaqar}}
[zaqar]
auth_url = {{auth_url}}
user_id = {{user_id}}
password = {{password}}
project_id = {{project_id}}
queue_id = {{queue_id}}
region_name = {{region_name}}
{{/zaqar}}
{{#request}}
[request]
metadata_url = {{{metadata_url}}}
{{/request}}
{{/os-collect-config}}
"""

_APPLY = f'#!/bin/sh\nexec os-apply-config --templates {_TEMPLATES}\n'


def install(machine):
    """Put into a machine what an image has."""
    _write(machine, CONFIG, _FIRST)
    _write(machine, _TEMPLATES + CONFIG, _TEMPLATE)
    _write(machine, _SCRIPTS + '/configure.d/10-apply', _APPLY)
    _write(machine, _SCRIPTS + '/configure.d/20-deployments',
           f'#!{machine.programs}/venv/bin/python\n' +
           (HERE / 'hook.py').read_text())


def _write(machine, path, text):
    file = machine.path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755 if text.startswith('#!') else 0o600)


@contextlib.contextmanager
def running(machine):
    """Have the service of the agent run in a machine.

    :raises AssertionError: if it ends before it is told to.
    """
    log = machine.path('/var/log/os-collect-config.log')
    with log.open('w') as output:
        process = subprocess.Popen(
            machine.command('os-collect-config', '--config-file', CONFIG,
                            '--debug'),
            stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env=machine.environment({
                'OS_REFRESH_CONFIG_BASE_DIR': _SCRIPTS}))
        try:
            yield process
            assert process.poll() is None, log.read_text()
        except BaseException:
            # What the agent has done explains most failures.
            print(log.read_text())
            raise
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
