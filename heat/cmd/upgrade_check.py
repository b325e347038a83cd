"""The checks of ``heat-status upgrade check``."""
from oslo_config import cfg
from oslo_upgradecheck import common_checks
from oslo_upgradecheck import upgradecheck

from heat.cmd import settings
from heat.db import migration
from heat.db import session


class Checks(upgradecheck.UpgradeCommands):
    """What an operator wants to know before an upgrade."""

    def _check_database(self):
        """The schema must be one that db_sync knows how to upgrade."""
        settings.embedded_defaults(cfg.CONF)
        session.configure()
        try:
            version = migration.db_version()
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            return upgradecheck.Result(
                upgradecheck.Code.FAILURE,
                f'The database cannot be read ({type(error).__name__}); '
                'see [database] connection.')
        if version is None:
            return upgradecheck.Result(
                upgradecheck.Code.FAILURE,
                'The database is empty; run heat-manage db_sync.')
        head = migration.head_version()
        if version != head:
            return upgradecheck.Result(
                upgradecheck.Code.WARNING,
                f'The database is at {version}; heat-manage db_sync takes '
                f'it to {head}.')
        return upgradecheck.Result(upgradecheck.Code.SUCCESS)

    _upgrade_checks = (
        ('Database schema', _check_database),
        ('Policy file format',
         (common_checks.check_policy_json, {'conf': cfg.CONF})),
    )


def main():
    """Parse the command line and run the checks."""
    settings.register_cli(cfg.CONF)
    return upgradecheck.main(cfg.CONF, project='heat',
                             upgrade_command=Checks())
