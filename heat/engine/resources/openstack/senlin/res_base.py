"""Base of plugins that extend the removed types of Senlin."""
from heat.engine.resources import removed


class BaseSenlinResource(removed.RemovedResource):
    """A resource of a clustering service that has been retired.

    It does nothing. Stacks that have such resources can be shown and
    deleted.
    """
