"""Load balancers of Octavia that Heat has made."""
from tests.functional.takeover import kinds
from tests.functional.takeover import stories


class TestBalancing(stories.Family):
    KINDS = kinds.BALANCING
