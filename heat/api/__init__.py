"""The APIs; and the applications that configurations make of them."""
from heat.api import composite

pipeline_factory = composite.pipeline_factory
root_app_factory = composite.root_app_factory
