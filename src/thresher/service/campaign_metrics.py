"""Metrics of campaigns, read from the database when Prometheus asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from thresher.campaign import Standing
from thresher.campaign.ledger import ARCHIVED
from thresher.errors import StorageError
from thresher.service.campaign_registry import CampaignRegistry

MOST_CAMPAIGNS = 100  # with metrics of their own: every name is a time series
MOST_LOOKED_AT = 1000  # for campaigns that are not archived
GAUGES: dict[str, tuple[str, Callable[[Standing], float]]] = {
    "budget": ("The total budget.", lambda standing: standing.budget),
    "spent": ("Spent of the budget.", lambda standing: standing.spent),
    "in_flight": ("Cost of the tickets in flight.", lambda standing: standing.outstanding),
    "arms": ("Arms.", lambda standing: standing.arms),
    "outcomes": ("Outcomes in the statistics.", lambda standing: standing.told),
}


class CampaignMetrics(Collector):
    """Budget, spending and undecided arms of the newest campaigns that are not archived."""

    def __init__(self, registry: CampaignRegistry) -> None:
        self._registry = registry

    def describe(self) -> list[Metric]:
        """Return nothing: the database is read when metrics are collected, not when they are registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the number of campaigns, and the metrics of the newest ones."""
        names = self._registry.names()
        yield GaugeMetricFamily("thresher_campaigns", "Campaigns, archived ones too.", value=len(names))
        found = list(islice(self._found(names[: -MOST_LOOKED_AT - 1 : -1]), MOST_CAMPAIGNS))
        for name, (text, value) in GAUGES.items():
            yield _gauge(name, text, [(standing.name, value(standing)) for standing, _ in found])
        undecided = [(standing.name, count) for standing, count in found if count is not None]
        yield _gauge("undecided_arms", "Arms without a decision.", undecided)

    def _found(self, names: Sequence[str]) -> Iterator[tuple[Standing, int | None]]:
        """Yield the state of each campaign that can be read, and how many arms are undecided if it can be judged."""
        for name in names:
            try:
                served = self._registry.open(name)
                standing = served.backend.standing()
                if standing.status != ARCHIVED:
                    yield standing, None if standing.note else served.verdicts()[1].counts["open"]
            except StorageError:
                continue  # one damaged campaign must not hide the others; its own requests fail


def _gauge(name: str, text: str, values: Sequence[tuple[str, float]]) -> Metric:
    gauge = GaugeMetricFamily(f"thresher_campaign_{name}", text, labels=["campaign"])
    for campaign, value in values:
        gauge.add_metric([campaign], value)
    return gauge
