"""What one process has in hand of a traversal: which nodes, how far.

Whoever changes it holds the lock of the runner.
"""
import collections
import itertools


class Visits:
    """The nodes that tasks of this process visit.

    Also for traversals that are over: as long as a task runs, what it holds
    is in its hands.
    """

    def __init__(self):
        self._visits = {}

    def begin(self, state, node):
        """Note a visit; return what end() takes."""
        visit = object()
        self._visits[visit] = state, node
        return visit

    def end(self, visit):
        """Note that a visit has ended."""
        self._visits.pop(visit, None)

    def rows(self):
        """Return the ids of the rows that are worked on."""
        return {row_id for state, (key, _update) in
                list(self._visits.values())
                for row_id in (key, state.actual_id(key))}


class Walk:
    """The nodes of one traversal that this process has in hand."""

    def __init__(self, state):
        self.state = state
        self.queue = collections.deque()
        self.queued = set()
        self.running = {}
        # Those that need a thread: a node that has begun to wait does not
        # count against the share of its stack any more.
        self.active = set()
        # Of these, those that wait for their turn to begin something of a
        # nested stack, and those that had it and have not begun to wait.
        self.blocked = set()
        self.beginning = set()
        # Those of the running ones whose outcome is not recorded.
        self.open = set()
        # Nodes that became ready in the same commit as one that is about to
        # tell its results, by that one.
        self.held_up = {}
        # Nodes asked for again while they were running.
        self.again = set()
        # Nodes somebody else said were ready, until that is checked.
        self.hearsay = set()
        # Those that came from other engines and have not been begun.
        self.received = set()
        # Those that were sent to other engines and have not come back.
        self.sent = set()
        # Those taken out of the queue while their rows are read.
        self.reading = set()
        self.closed = False
        # Whether this process is about to end the operation.
        self.ending = False
        # How many nodes are not done, if this process knows.
        self.left = None

    def is_unread(self, node):
        """Whether a look at the database has to come before a visit."""
        return (node in self.hearsay or
                not self.state.is_ready_to_visit(node))

    def is_idle(self):
        """Whether nothing of the traversal is in hand here."""
        return not (self.queue or self.running or self.held_up or
                    self.reading)

    def admit(self, node):
        """Queue a node, or hold it up until all is told that it needs."""
        for key in self.state.untold(node):
            if (key, True) in self.open:
                self.held_up.setdefault((key, True), []).append(node)
                return
        self.queue.append(node)

    def release(self, node):
        """Queue what a node was holding up."""
        for waiting in self.held_up.pop(node, ()):
            self.admit(waiting)

    def next_to_read(self, limit):
        """Take what has to be read, too, from the head of the queue."""
        nodes = []
        while (self.queue and len(nodes) < limit and
                self.is_unread(self.queue[0])):
            nodes.append(self.queue.popleft())
        self.reading.update(nodes)
        return nodes

    def surplus(self, limit):
        """Return how many nodes at the end of the queue others may have.

        None that came from them: two busy engines would send each other the
        same nodes for ever.

        :param limit: how many stay at least
        """
        number = 0
        for node in itertools.islice(reversed(self.queue),
                                     max(0, len(self.queue) - limit)):
            if node in self.received:
                break
            number += 1
        return number

    def give_away(self, number):
        """Take so many nodes off the end of the queue; return them."""
        nodes = [self.queue.pop() for _ in range(number)]
        self.queued.difference_update(nodes)
        self.received.difference_update(nodes)
        self.sent.update(nodes)
        nodes.reverse()
        return nodes
