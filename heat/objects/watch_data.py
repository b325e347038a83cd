"""Metrics as stored, and the data that are pushed to them."""
from collections.abc import Mapping, Sequence
import dataclasses
import hashlib
import json
from typing import Any

from heat.db import api as db_api
from heat.objects import base


def metric_key(tenant: str, namespace: str, name: str,
               dimensions: Mapping[str, str]) -> str:
    """Return what no two metrics have in common.

    A digest compares exactly in every collation and fits every index.
    """
    return hashlib.sha256(json.dumps(
        [tenant, namespace, name, sorted(dimensions.items())],
        separators=(',', ':')).encode()).hexdigest()


@dataclasses.dataclass(slots=True)
class WatchMetric:
    """A metric: a name in a namespace, with dimensions."""

    id: int
    tenant: str
    metric_key: str
    namespace: str
    name: str
    dimensions: dict[str, str]
    seen_at: int

    @classmethod
    def get_all(cls, context: Any, tenant: str, limit: int,
                filters: Mapping[str, Any] | None = None,
                since: int | None = None) -> list['WatchMetric']:
        """Return metrics of a project by key, those in use since then."""
        return [base.record(cls, row)
                for row in db_api.watch_metric_get_all(
                    context, tenant, limit, filters, since)]

    @staticmethod
    def purge(context: Any, before: int, limit: int) -> int:
        """Delete metrics without data; return how many."""
        return db_api.watch_metric_purge(context, before, limit)


@dataclasses.dataclass(slots=True)
class Statistics:
    """The statistics of the data of a period.

    :ivar place: the number of the period
    :ivar rule_id: the rule that they were computed for
    """

    place: int
    samples: float
    total: float
    least: float
    greatest: float
    rule_id: str | None = None
    unit: str | None = None


class WatchData:
    """Data of metrics."""

    @staticmethod
    def put(context: Any, tenant: str, now: int,
            metrics: Mapping[str, Mapping[str, Any]],
            points: Sequence[Mapping[str, Any]],
            limits: tuple[int, int]) -> None:
        """Store data in one transaction; RequestLimitExceeded if too many.

        :param metrics: namespace, name and dimensions by metric_key()
        :param limits: most metrics and most data of a project
        """
        db_api.watch_data_put(context, tenant, now, metrics, points, limits)

    @staticmethod
    def of_claim(context: Any, claim: str, now: int) -> list[Statistics]:
        """Return the statistics of the latest periods of claimed rules."""
        return [base.record(Statistics, row)
                for row in db_api.watch_data_of_claim(context, claim, now)]

    @staticmethod
    def statistics(context: Any, key: str, start: int, end: int, period: int,
                   unit: str | None = None) -> list[Statistics]:
        """Return the statistics of a metric by period and unit."""
        return [base.record(Statistics, row)
                for row in db_api.watch_data_statistics(
                    context, key, start, end, period, unit)]

    @staticmethod
    def longest_window(context: Any) -> int:
        """Return for how many seconds back some rule needs data."""
        return db_api.watch_data_longest_window(context)

    @staticmethod
    def purge(context: Any, before: int, limit: int) -> int:
        """Delete old data; return how many."""
        return db_api.watch_data_purge(context, before, limit)
