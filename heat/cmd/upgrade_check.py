"""The checks of ``heat-status upgrade check``.

They examine the configuration and the database of an OpenStack Heat before
this service takes its place. Nothing is changed.
"""
import functools
import logging
import sys
import textwrap

from oslo_config import cfg
from oslo_upgradecheck import common_checks
from oslo_upgradecheck import upgradecheck

from heat.author import check as template_check
from heat.cmd import checks
from heat.cmd import reporting
from heat.cmd import settings
from heat.cmd import stored_check
from heat.common import config
from heat.common import context as heat_context
from heat.common import startup
from heat.common.i18n import _
from heat.db import migration
from heat.db import probe
from heat.db import session

CONF = cfg.CONF

#: How many findings of a check are shown.
_MOST = 50
_WIDTH = 72


class Checks(upgradecheck.UpgradeCommands):
    """The checks before an upgrade."""

    def _check_options(self):
        """The files hold known options with values that can be used."""
        return _result(*checks.options())

    def _check_pipelines(self):
        """The APIs can be loaded as the paste file has them."""
        found = [checks.application(name)
                 for name in ('heat-api', 'heat-api-cfn')]
        return _result(*(list(dict.fromkeys(sum(some, [])))
                         for some in zip(*found, strict=True)))

    def _check_policies(self):
        """The rules of the policy files are understood."""
        return _result(*checks.policies())

    def _check_environments(self):
        """The environment files and plugin directories can be read."""
        return _result(*checks.environments())

    def _check_database(self):
        """The schema must be one that db_sync knows how to upgrade."""
        trouble = _connection_trouble()
        if trouble:
            return _result([trouble], [])
        try:
            version = migration.db_version()
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            return upgradecheck.Result(
                upgradecheck.Code.FAILURE,
                _('The database cannot be read (%s); see [database] '
                  'connection.') % type(error).__name__)
        if version is None:
            return upgradecheck.Result(
                upgradecheck.Code.FAILURE,
                _('The database is empty; run heat-manage db_sync.'))
        head = migration.head_version()
        if version == head:
            return upgradecheck.Result(upgradecheck.Code.SUCCESS)
        if not migration.is_known(version):
            return upgradecheck.Result(
                upgradecheck.Code.FAILURE,
                _('The database is at %s, which this version does not know: '
                  'a later one has changed it.') % version)
        return upgradecheck.Result(
            upgradecheck.Code.WARNING,
            _('The database is at %(version)s; heat-manage db_sync takes it '
              'to %(head)s.') % {'version': version, 'head': head})

    def _check_key(self):
        """The key decrypts what the database holds."""
        return _stored(_wrong_key)

    def _check_stacks(self):
        """The resource types and functions of all stacks are there."""
        return _stored(_unusable_stacks)

    _upgrade_checks = (
        (_('Options'), _check_options),
        (_('Pipelines'), _check_pipelines),
        (_('Policies'), _check_policies),
        (_('Policy file format'),
         (common_checks.check_policy_json, {'conf': CONF})),
        (_('Environments'), _check_environments),
        (_('Database schema'), _check_database),
        (_('Encryption key'), _check_key),
        (_('Stored stacks'), _check_stacks),
    )


def _result(errors, warnings):
    """Return the result of a check, with the first of its findings."""
    if not errors and not warnings:
        return upgradecheck.Result(upgradecheck.Code.SUCCESS)
    code = (upgradecheck.Code.FAILURE if errors
            else upgradecheck.Code.WARNING)
    found = [*errors, *warnings]
    if len(found) > _MOST:
        found[_MOST:] = [_('There are %d more') % (len(found) - _MOST)]
    return upgradecheck.Result(code, '\n'.join(found))


@functools.cache
def _connection_trouble():
    """Return what keeps the database from answering, or None."""
    try:
        probe.check()
    except (startup.Refused, startup.Away) as error:
        return str(error)
    return None


def _stored(look):
    """Return what a function finds in the database."""
    trouble = _connection_trouble()
    if trouble:
        return _result([trouble], [])
    try:
        if migration.db_version() is None:
            return upgradecheck.Result(upgradecheck.Code.SUCCESS)
        return _result(look(heat_context.get_admin_context()), [])
    except Exception as error:  # noqa: BLE001 (shown to the operator)
        return upgradecheck.Result(
            upgradecheck.Code.FAILURE,
            _('The database cannot be read: %s') % startup.cause(error))


def _wrong_key(context):
    found = stored_check.wrong_key(context)
    return [found] if found else []


def _unusable_stacks(context):
    template_check.load_types()
    return list(stored_check.unusable_stacks(context))


class _Examined(Checks):
    """The checks, once the configuration has been read."""

    def check(self):
        """Run the checks and print their results."""
        # What is worth a line is in the results.
        logging.disable(logging.CRITICAL)
        config.set_policy_defaults()
        if not CONF.database.connection:
            settings.embedded_defaults(CONF)
        settings.embedded_key(CONF)
        session.configure()
        return super().check()

    def _get_details(self, result):
        """Return the findings, each on lines of its own."""
        if result.details is None:
            return None
        return '\n'.join(
            line for finding in result.details.splitlines()
            for line in textwrap.wrap(finding, _WIDTH,
                                      subsequent_indent='  '))


@reporting.one_line
def main(argv=None):
    """Parse the command line and run the checks."""
    settings.register_cli(CONF)
    return upgradecheck.main(
        CONF, project='heat', upgrade_command=_Examined(),
        argv=sys.argv[1:] if argv is None else argv)
