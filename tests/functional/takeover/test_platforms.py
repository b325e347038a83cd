"""Shares, databases and clusters that Heat has made."""
from tests.functional.takeover import kinds
from tests.functional.takeover import stories


class TestPlatforms(stories.Family):
    KINDS = kinds.PLATFORMS
