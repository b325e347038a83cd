"""Workflows and queues that Heat has made."""
from tests.functional.takeover import kinds
from tests.functional.takeover import stories


class TestFlows(stories.Family):
    KINDS = {**kinds.FLOWS, **kinds.ALARMS}
