"""The APIs; and the applications by path that configurations make of them."""
from heat.api import composite

root_app_factory = composite.root_app_factory
