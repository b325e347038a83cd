"""A service of container clusters in memory."""
from tests.fakes import rest_service


class Clusters(rest_service.RestService):
    COLLECTIONS = {
        '/clusters': (None, 'clusters', 'uuid'),
        '/clustertemplates': (None, 'clustertemplates', 'uuid')}
    READY = 'CREATE_COMPLETE'
