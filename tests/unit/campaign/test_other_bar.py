"""What another bar would change: the verdicts of a campaign that had this bar from the start."""

import random
from typing import Any

import pytest

import thresher as th
from tests.support.service_place import served
from thresher.campaign import Flip, flips
from thresher.campaign.storage import MemoryStorage
from thresher.errors import InvalidInputError
from thresher.service import create_app


def campaign_of(bar: float, *, items: int | None = None, told: Any = None, **terms: Any) -> th.Campaign:
    """Return a campaign with the outcomes of three arms, the same whatever the bar."""
    rng = random.Random(7)
    given: dict[str, Any] = {"bar": bar, "budget": 90, "items": items, **terms}
    campaign = th.Campaign.create(MemoryStorage(), "c", arms=["low", "middle", "high"], **given)
    for arm, rate in (("low", 0.3), ("middle", 0.6), ("high", 0.9)):
        outcomes = [told(rng, rate) if told else float(rng.random() < rate) for _ in range(30)]
        if items:
            campaign.tell_items([(arm, str(i + 1), value) for i, value in enumerate(outcomes)])
        else:
            squares = sum(value * value for value in outcomes)
            campaign.tell_counts(arm, n=30, total=sum(outcomes), squares=squares)
    return campaign


@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"items": 40},
        {"family": "gaussian-unknown-variance", "told": lambda rng, mean: rng.gauss(mean, 0.3)},
        {"family": "gaussian", "sigma": 0.3, "told": lambda rng, mean: rng.gauss(mean, 0.3)},
        {"family": "bounded", "told": lambda rng, mean: min(rng.random() * 2 * mean, 1.0), "guarantee": "anytime"},
    ],
)
def test_it_is_the_verdict_of_a_campaign_with_that_bar(setting: dict[str, Any]) -> None:
    other, own = campaign_of(0.75, **setting).verdicts(), campaign_of(0.45, **setting)
    before = own.standing
    found = own.verdicts(bar=0.75)
    for mine, theirs in zip(found, other, strict=True):
        assert mine.to_dict() == pytest.approx(theirs.to_dict(), nan_ok=True)
    assert flips(own.verdicts(), found) == [
        Flip(old.arm, old.decision, new.decision)
        for old, new in zip(own.verdicts(), other, strict=True)
        if old.decision != new.decision
    ]
    assert flips(own.verdicts(), found)
    assert own.standing == before
    own.verify()


def test_a_bar_that_cannot_be_judged_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"bar is 1\.5; must be between 0 and 1"):
        campaign_of(0.5).verdicts(bar=1.5)
    control = th.Campaign.create(MemoryStorage(), "c", arms=["a", "b"], control="a", budget=9)
    with pytest.raises(InvalidInputError, match="must be left out with a control"):
        control.verdicts(bar=0.5)
    times = th.Campaign.create(MemoryStorage(), "c", arms=["a", "b"], bar=2.0, quantile=0.9, budget=9)
    with pytest.raises(InvalidInputError, match="must be left out with a quantile"):
        times.verdicts(bar=0.5)


def test_a_service_answers_the_same() -> None:
    storage = MemoryStorage()
    local = th.Campaign.create(storage, "c", arms=["a", "b"], bar=0.5, budget=80)
    for arm, total in (("a", 28.0), ("b", 39.0)):
        local.tell_counts(arm, n=40, total=total)
    app = create_app(storage)
    with served(app) as address:
        remote = th.Campaign.open(address, "c", token=app.state.keyring.new_token("read"))
        found = remote.verdicts(bar=0.85)
        remote.disconnect()
    assert [row.to_dict() for row in found] == [row.to_dict() for row in local.verdicts(bar=0.85)]
    assert found.summary == local.verdicts(bar=0.85).summary
