"""Have an API process answer reads itself, where the operator wants that."""
from oslo_config import cfg

from heat.cmd import preflight
from heat.common import config
from heat.rpc import local_reads

CONF = cfg.CONF


def prepare():
    """Answer reads from the database if api_reads_database says so.

    Called before there are processes, which then share what is loaded. Waits
    for a database that is away.

    :raises startup.Refused: the database cannot be used as it is
    """
    if not CONF.api_reads_database:
        return
    config.startup_sanity_check()
    preflight.wait_for_database()
    begin()


def begin():
    """Answer reads from the database from now on."""
    # With it come the resource types, which an API does not need otherwise.
    from heat.engine import reader
    local_reads.READS.install(reader.Reader())
