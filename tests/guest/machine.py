"""A machine that boots with user data: cloud-init of Debian runs them.

The machine is a root directory in namespaces of its own. Its /etc, /home,
/opt, /run and /var belong to it; the rest is that of the host. By default it
has no network while it boots.
"""
import json
import os
import pathlib
import subprocess
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Seconds that one command in a machine may take.
PATIENCE = 300

_DRIVE = '/var/lib/cloud/seed/config_drive/openstack/latest'
USER_DATA = _DRIVE + '/user_data'

_OWN = ('etc', 'home', 'opt', 'run', 'var')

#: $1 the root to make, $2 the directory with what belongs to the machine, $3
#: what of the host is visible in spite of that; what remains is run.
_ENTER = textwrap.dedent("""\
    set -eu
    root=$1 own=$2 shared=$3
    shift 3
    mount --make-rprivate / 2>/dev/null || true
    mount -t tmpfs none "$root"
    for entry in /* ; do
        name=${entry#/}
        if [ -e "$own/$name" ]; then
            mkdir "$root/$name"
            mount --bind "$own/$name" "$root/$name"
        elif [ -L "$entry" ]; then
            cp -P "$entry" "$root/$name"
        elif [ -d "$entry" ]; then
            mkdir "$root/$name"
            mount --rbind "$entry" "$root/$name"
        fi
    done
    IFS=:
    for entry in $shared; do
        mkdir -p "$root/$entry"
        mount --rbind "$entry" "$root/$entry"
    done
    exec chroot "$root" "$@"
    """)

_CONFIG = """\
# Neither the network nor anything else of the host is configured.
datasource_list: [ConfigDrive]
network: {config: disabled}
users: [default]
disable_root: false
preserve_hostname: true
cloud_init_modules: [write-files, users-groups]
cloud_final_modules: [scripts-user]
system_info:
  distro: debian
  default_user: {name: debian, lock_passwd: true, shell: /bin/bash}
"""

_STAGES = (('init', '--local'), ('init',), ('modules', '--mode=final'))


def prepare():
    """Return the directory with the programs of guests; see tools/guest."""
    done = subprocess.run([ROOT / 'tools' / 'guest'], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return pathlib.Path(done.stdout.strip())


class Machine:
    """A server as its user sees it.

    :param directory: where the machine is kept.
    :param programs: what prepare() has returned.
    :param user_data: bytes, as they are on the config drive.
    """

    def __init__(self, directory, programs, user_data):
        self.directory = pathlib.Path(directory)
        self.programs = programs
        self._root = self.directory / 'root'
        self._own = self.directory / 'own'
        self._root.mkdir(parents=True)
        for name in _OWN:
            (self._own / name).mkdir(parents=True)
        self._install()
        self._plug_in(user_data)

    def _install(self):
        # Without root, some of it is unreadable, and not needed either.
        subprocess.run(['cp', '-a', '/etc/.', self._own / 'etc'],
                       check=False, capture_output=True)
        subprocess.run(['cp', '-a', self.programs / 'cloud-init/etc/cloud',
                        self._own / 'etc'], check=True)
        self.path('/etc/cloud/cloud.cfg').write_text(_CONFIG)
        for name in ('lib', 'log', 'cache', 'tmp'):
            self.path('/var/' + name).mkdir()
        self.path('/var/tmp').chmod(0o1777)
        self.path('/etc/sudoers.d').mkdir(exist_ok=True)
        self.path('/var/run').symlink_to('/run')

    def _plug_in(self, user_data):
        drive = self.path(_DRIVE)
        drive.mkdir(parents=True)
        (drive / 'meta_data.json').write_text(json.dumps({
            'uuid': '11111111-1111-4111-8111-111111111111', 'name': 'guest',
            'hostname': 'guest', 'files': [], 'meta': {}}))
        self.path(USER_DATA).write_bytes(user_data)

    # -- using it -----------------------------------------------------------

    def boot(self, *, network=False):
        """Run the stages of cloud-init; return what the console shows."""
        for each in self.path('/run').iterdir():
            subprocess.run(['rm', '-r', each], check=True)
        packages = self.programs / 'cloud-init/usr/lib/python3/dist-packages'
        console = ''
        for stage in _STAGES:
            done = self.run(
                '/usr/bin/python3',
                self.programs / 'cloud-init/usr/bin/cloud-init', *stage,
                network=network, more={'PYTHONPATH': str(packages)})
            console += done.stdout + done.stderr
        return console

    def errors(self):
        """Return the errors that cloud-init has recorded."""
        status = json.loads(self.path(
            '/var/lib/cloud/data/status.json').read_text())
        return [error for stage in status['v1'].values()
                if isinstance(stage, dict)
                for error in stage.get('errors', ())]

    def run(self, *command, network=True, more=None):
        """Run a command in the machine; return it completed."""
        return subprocess.run(
            self.command(*command, network=network), capture_output=True,
            text=True, timeout=PATIENCE, check=False,
            stdin=subprocess.DEVNULL, env=self.environment(more))

    def command(self, *command, network=True):
        """Return what runs a command in the machine."""
        namespaces = ['--mount', '--uts', '--ipc']
        if not network:
            namespaces.append('--net')
        if os.geteuid():
            namespaces.append('--map-root-user')
        return ['unshare', *namespaces, '/bin/sh', '-c', _ENTER, 'enter',
                self._root, self._own, self._shared(), *command]

    def environment(self, more=None):
        """Return the environment of processes in the machine."""
        return {'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:'
                        f'/sbin:/bin:{self.programs}/venv/bin',
                # os-collect-config resets the locale to what Python calls it.
                'LC_ALL': 'C', 'PYTHONUTF8': '1',
                'PYTHONDONTWRITEBYTECODE': '1', **(more or {})}

    def _shared(self):
        """Return the paths of the host that directories of ours would hide.
        """
        python = (self.programs / 'venv/bin/python').resolve().parents[1]
        return ':'.join(str(path) for path in (ROOT, self.programs, python)
                        if path.parts[1] in _OWN)

    # -- looking into it ----------------------------------------------------

    def path(self, path):
        """Return where a file of the machine is on the host."""
        return self._own / path.lstrip('/')

    def read(self, path):
        """Return the text of a file of the machine."""
        return self.path(path).read_text()

    def mode(self, path):
        """Return the permissions of a file."""
        return self.path(path).stat().st_mode & 0o7777
