"""Users, projects and the like that Heat has made in Keystone."""
from tests.functional.takeover import kinds
from tests.functional.takeover import stories


class TestIdentity(stories.Family):
    KINDS = kinds.IDENTITY
