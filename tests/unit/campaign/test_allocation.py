"""An allocation is the batch that asks would issue now; it reserves nothing."""

import random
from collections import Counter
from typing import Any

import pytest

from tests.support.places import MemoryPlace
from thresher.campaign import Campaign
from thresher.errors import InvalidInputError

NAMES = [f"arm {k}" for k in range(12)]
KINDS: tuple[dict[str, Any], ...] = (
    {"threshold": 0.5},
    {"threshold": 0.5, "goal": "decide"},
    {"threshold": 0.5, "policy": "lsa", "pull_costs": [1.0, 2.5, 0.5] * 4},
    {"threshold": 0.5, "policy": "uniform"},
    {"threshold": 0.5, "family": "gaussian", "sigma": 1.0, "stop_price": 1e-4},
    {"threshold": 0.5, "family": "gaussian-unknown-variance"},
    {"control": "arm 3", "margin": "-2%"},
    {"threshold": 0.5, "items": 30},
    {"control": "arm 0", "items": 30},
)


def tell_some(campaign: Campaign, rng: random.Random) -> None:
    """Tell the outcomes of two thirds of forty tickets; the others stay in flight."""
    for ticket in campaign.ask(40):
        if rng.random() < 2 / 3:
            campaign.tell(ticket, float(rng.random() < 0.2 + 0.05 * NAMES.index(ticket.arm)))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_allocation_is_what_asks_would_issue(kind: dict[str, Any]) -> None:
    rng, place = random.Random(5), MemoryPlace()
    for round_ in range(3):
        campaign = place.create(str(round_), arms=NAMES, budget=300, **kind)
        if round_:
            tell_some(campaign, rng)
        if round_ == 2:
            place.advance(601)  # the leases in flight expire: their budget is issued again
        before = campaign.standing
        for n in (1, 7, 60):
            batch = campaign.allocate(n)
            assert campaign.standing == before  # nothing is reserved or written
            if "pull_costs" not in kind:
                tickets = campaign.ask(n)
                asked = Counter(ticket.arm for ticket in tickets)
                assert [row.measurements for row in batch] == [asked[name] for name in NAMES], (n, round_)
                items = {name: tuple(t.item for t in tickets if t.arm == name and t.item) for name in NAMES}
                assert {row.arm: row.items for row in batch} == items
                before = campaign.standing
            assert batch.measurements == sum(row.measurements for row in batch)
            assert batch.cost <= n
            assert sum(row.share for row in batch) == pytest.approx(1.0 if batch.measurements else 0.0)
    place.leave()


def test_a_batch_pays_pull_costs_and_may_exceed_the_budget_of_the_campaign() -> None:
    campaign = Campaign.create("memory://", "costs", arms=["a", "b"], threshold=0.5, budget=9, pull_costs=[1.0, 4.0])
    batch = campaign.allocate(100)
    assert 96 < batch.cost <= 100
    assert batch.cost == batch[0].measurements + 4 * batch[1].measurements
    assert campaign.allocate().cost <= 9  # by default what is left
    for wrong in (0, -1, float("nan"), 2e6):
        with pytest.raises(InvalidInputError, match="budget"):
            campaign.allocate(wrong)
    campaign.close()
    assert (campaign.allocate(9).measurements, campaign.allocate(9).note[:22]) == (0, "the campaign is closed")


def test_a_large_batch_goes_to_the_arm_near_its_bar() -> None:
    campaign = Campaign.create("memory://", "many", arms=["a", "b"], threshold=0.5, budget=9)
    campaign.tell_counts("a", n=10, total=4, paid=False)
    campaign.tell_counts("b", n=10, total=9, paid=False)
    batch = campaign.allocate(20_000)
    assert batch.measurements == 20_000
    assert batch[0].share > 0.8  # the arm near its bar
