"""Load the WSGI pipelines of the paste configuration."""
import logging as std_logging

from oslo_config import cfg
from oslo_log import log as logging
from paste import deploy

from heat.common import config
from heat.common import exception

LOG = logging.getLogger(__name__)


def application(name, conf=cfg.CONF):
    """Return the WSGI application of a pipeline.

    :param name: heat-api or heat-api-cfn; the option flavor of
        [paste_deploy] is appended to it.
    :raises Error: the pipeline cannot be loaded.
    """
    path = config.find_paste_config(conf)
    if conf.paste_deploy.flavor:
        name = f'{name}-{conf.paste_deploy.flavor}'
    try:
        app = deploy.loadapp(f'config:{path}', name=name)
    except (LookupError, ImportError, OSError) as error:
        raise exception.Error(
            f'Unable to load {name} from configuration file {path}: '
            f'{error}') from error
    if LOG.isEnabledFor(std_logging.DEBUG):
        conf.log_opt_values(LOG, std_logging.DEBUG)
    return app
