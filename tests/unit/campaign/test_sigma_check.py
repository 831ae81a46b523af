"""Decisions wait until the given sigma is checked, and while outcomes contradict it."""

import random
from typing import Any

import pytest

from thresher.campaign import Campaign, Verdicts
from thresher.campaign.storage import MemoryStorage


def campaign_of(sigma: float, spread: float, *, n: int = 20, seed: int = 1, **terms: object) -> Campaign:
    """Return a campaign of four arms near 196, with outcomes of a standard deviation of `spread`."""
    draw = random.Random(seed)
    given: dict[str, object] = {"threshold": 200.0, "family": "gaussian", "sigma": sigma} | terms
    campaign = Campaign.create(MemoryStorage(), "latency", arms=list("abcd"), budget=4 * n, **given)  # type: ignore[arg-type]
    for ticket in campaign.tickets():
        campaign.tell(ticket, draw.gauss(196.0, spread))
    return campaign


def decided(verdicts: Verdicts) -> int:
    return sum(row.decision != "open" for row in verdicts)


def test_decisions_are_withheld_while_outcomes_vary_more_than_sigma_allows() -> None:
    campaign = campaign_of(1.0, 2.0)
    for guarantee in ("calibrated", "anytime", "fdr", "fwer"):
        found = campaign.verdicts(guarantee=guarantee)
        assert decided(found) == 0
        assert not any(row.proven or row.low == row.low for row in found)
        [note] = [note for note in found.notes if "sigma" in note]
        assert note.startswith("no arm is decided: outcomes vary about 1.9 times as much as sigma says")
        assert decided(campaign.verdicts(guarantee=guarantee, sigma_check="warn")) == 4


def test_the_user_can_insist_and_is_warned() -> None:
    for found in (
        campaign_of(1.0, 2.0, sigma_check="warn").verdicts(),
        campaign_of(1.0, 2.0).verdicts(sigma_check="warn"),
    ):
        assert decided(found) == 4
        [note] = [note for note in found.notes if "sigma" in note]
        assert note.startswith("outcomes vary about 1.9 times")
        assert "less certain than shown" in note


def test_nothing_is_decided_before_sigma_is_checked() -> None:
    early = campaign_of(1.0, 1.0, n=4).verdicts()
    assert decided(early) == 0
    [note] = [note for note in early.notes if "sigma" in note]
    assert "before sigma is checked by 20 outcomes beyond the first of each arm: so far there are 12" in note


def test_the_right_sigma_and_a_large_one_decide_without_a_note() -> None:
    # Each is warned of with a chance of at most 0.001.
    for seed in range(5):
        for sigma in (1.0, 1.5):
            found = campaign_of(sigma, 1.0, seed=seed).verdicts()
            assert decided(found) == 4
            assert not [note for note in found.notes if "sigma" in note]


def test_a_campaign_does_not_stop_at_few_expected_mistakes_that_rest_on_a_refuted_sigma() -> None:
    told = [campaign_of(1.0, spread, stop_mistakes=0.5).standing.told for spread in (1.0, 3.0)]
    assert told[0] < told[1] == 80


@pytest.mark.parametrize("control", ["", "a"])
def test_a_control_is_checked_too(control: str) -> None:
    terms: dict[str, Any] = {"control": control, "threshold": None} if control else {}
    assert decided(campaign_of(1.0, 4.0, **terms).verdicts()) == 0
