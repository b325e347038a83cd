"""A cache of answers of cloud services that all operations share.

It holds what changes rarely and applies to many stacks: the extensions of a
service, the limits of a project. Before a request is refused because of a
cached answer, the service is asked again, so that a raised limit or a new
extension takes effect at once.
"""
import collections
from collections.abc import Callable, Hashable
import threading
from typing import Any

from heat.common import timeutils


class KeptAnswers:
    """The answers of one process, each by a key.

    :param seconds: for which an answer holds
    :param most: number of answers that are kept
    """

    def __init__(self, seconds: float = 300, most: int = 1000) -> None:
        self._seconds = seconds
        self._most = most
        self._lock = threading.Lock()
        self._kept: collections.OrderedDict[Hashable, tuple[float, Any]] = (
            collections.OrderedDict())

    def get(self, key: Hashable, ask: Callable[[], Any],
            since: float = float('-inf')) -> Any:
        """Return the answer to a question.

        :param key: identifies the service, the question and, if the answer
            depends on them, the project and the user
        :param ask: asks the service
        :param since: the answer must not be older than this time of
            timeutils.wallclock()
        """
        now = timeutils.wallclock()
        oldest = max(since, now - self._seconds)
        with self._lock:
            asked, answer = self._kept.get(key, (float('-inf'), None))
        if asked >= oldest:
            return answer
        answer = ask()
        with self._lock:
            self._kept[key] = now, answer
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer

    def forget(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._kept.clear()


#: Those of this process.
KEPT = KeptAnswers()
