"""The ordinary command line client, run in this process."""
import contextlib
import importlib
import io
import json
import logging
import time
import warnings

from tests.functional import rest


class Shell:
    """Runs commands of `openstack` and checks how they end.

    In this process, which spares the start of an interpreter.
    """

    def __init__(self, *options):
        self._options = options

    def __call__(self, *arguments, code=0, form='json'):
        """Run a command; return what it prints, decoded if it is JSON.

        Where an error is expected, return all that was said.
        """
        command = [*self._options, *arguments]
        if form:
            command += ['-f', form]
        printed, errors = io.StringIO(), io.StringIO()
        root = logging.getLogger()
        handlers, level = list(root.handlers), root.level
        with warnings.catch_warnings(), \
                contextlib.redirect_stdout(printed), \
                contextlib.redirect_stderr(errors):
            warnings.simplefilter('ignore')
            _forget_clients()
            result = _run(command)
        root.handlers[:], root.level = handlers, level
        assert result == code, (arguments, printed.getvalue(),
                                errors.getvalue())
        text = printed.getvalue()
        if code:
            return text + errors.getvalue()
        return value_of(text) if form == 'json' else text

    def delete(self, *names):
        """Delete stacks and wait for them.

        A client that hears of no event asks for the stack itself, which then
        may just be gone; by its ID it can still be shown.
        """
        ids = [self('stack', 'show', name)['id'] for name in names]
        return self('stack', 'delete', '--yes', '--wait', *ids, form=None)


def _run(command):
    """Return the exit code of a command, mistakes in its line included."""
    shell = _imported('openstackclient.shell')
    try:
        return shell.OpenStackShell().run(command)
    except SystemExit as end:
        return end.code


class _Hasty:
    """The clock of a client that does not wait long to look again."""

    time = staticmethod(time.time)

    @staticmethod
    def sleep(_seconds):
        time.sleep(rest.INTERVAL)


def hasten(monkeypatch):
    """Have commands that wait look again soon."""
    for name in ('heatclient.common.event_utils', 'osc_lib.utils'):
        monkeypatch.setattr(_imported(name), 'time', _Hasty)


def _imported(name):
    """Return a module that has no regard for our warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return importlib.import_module(name)


def _forget_clients():
    """Undo that the shell keeps its clients as long as its process."""
    module = _imported('openstackclient.common.clientmanager')
    for cls in module.ClientManager.__mro__:
        for each in vars(cls).values():
            if getattr(each, '_handle', None) is not None:
                each._handle = None


def no_auth(heat, project='demo'):
    """Return the options that lead to a service without Keystone."""
    return ('--os-auth-type', 'none', '--os-endpoint',
            f'{heat.url}/v1/{project}')


def value_of(text):
    """Return the JSON in what was printed, which events may precede."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines)
                 if line[:1] in '{[' and line)
    return json.loads('\n'.join(lines[begin:]))
