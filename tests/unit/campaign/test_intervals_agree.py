"""The interval of a row agrees with its decision, on every kind of campaign and under every guarantee."""

import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

from thresher.campaign import Campaign, Verdict, Verdicts
from thresher.campaign.storage import MemoryStorage

MEANS = {"best": 0.9, "good": 0.75, "near": 0.62, "same": 0.6, "poor": 0.5, "bad": 0.2}
BARS: dict[str, dict[str, Any]] = {
    "a fixed bar": {"threshold": 0.6},
    "a tolerance": {"threshold": 0.6, "tolerance": 0.05},
    "a control": {"control": "same", "margin": "-0.02"},
    "a relative margin": {"control": "same", "margin": "5%"},
    "costs that differ": {"threshold": 0.6, "false_pass": 3.0},
}
FAMILIES: dict[str, dict[str, Any]] = {
    "bernoulli": {},
    "bounded": {"low": 0.0, "high": 1.0},
    "gaussian": {"sigma": 0.3, "sigma_check": "warn"},
    "gaussian-unknown-variance": {},
}


def outcome(family: str, rng: random.Random, mean: float) -> float:
    """Draw an outcome with that mean."""
    if family == "bernoulli":
        return float(rng.random() < mean)
    return rng.betavariate(4.0 * mean, 4.0 * (1.0 - mean)) if family == "bounded" else rng.gauss(mean, 0.3)


def looks(family: str, given: dict[str, Any]) -> Iterator[Campaign]:
    """Yield a campaign after each part of its budget."""
    rng = random.Random(f"{family} {given}")
    terms = {"family": family, "policy": "uniform", **FAMILIES[family], **given}
    campaign = Campaign.create(MemoryStorage(), "c", arms=list(MEANS), budget=660, **terms)
    for size in (24, 120, 516):
        tickets = campaign.ask(size)
        campaign.tell_many([(ticket, outcome(family, rng, MEANS[ticket.arm])) for ticket in tickets])
        yield campaign


def is_wrong_excluded(row: Verdict, low: float, high: float, bar: float, tolerance: float) -> bool:
    """Return whether an interval contains no mean for which the verdict is wrong; False without one."""
    return low > bar - tolerance if row.verdict == "above" else high <= bar + tolerance


def disagreements(found: Verdicts, tolerance: float) -> Iterator[str]:
    """Yield the rows whose interval and decision contradict each other."""
    for row in found:
        if row.verdict == "undecided":
            continue
        bar = found.said.compared(row)
        excluded = is_wrong_excluded(row, row.low, row.high, bar, tolerance)
        if excluded != (row.decision != "open"):
            yield f"{row.decision} {row.verdict}: {row.low} to {row.high}, bar {bar}"
        if is_wrong_excluded(row, row.valid_low, row.valid_high, bar, tolerance) != row.proven:
            yield f"{'' if row.proven else 'not '}proven {row.verdict}: {row.valid_low} to {row.valid_high}, bar {bar}"
        if found.said.guarantee == "anytime" and not math.isnan(row.valid_low):
            assert (row.low, row.high) == pytest.approx((row.valid_low, row.valid_high))


@pytest.mark.by_day("bernoulli", "gaussian-unknown-variance")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_decided_row_excludes_what_would_make_it_wrong_and_an_undecided_one_does_not(family: str) -> None:
    decisions = set()
    for name, given in BARS.items():
        for look, campaign in enumerate(looks(family, given)):
            for guarantee in ("calibrated", "anytime", "fdr", "fwer"):
                if guarantee == "fdr" and "control" in given and look < 2:
                    continue  # seconds each: once is enough
                passes = ("below", "above")[look % 2]
                found = campaign.verdicts(guarantee=guarantee, passes=passes)
                decisions |= {(guarantee, row.decision) for row in found}
                where = f"{name}, {guarantee}, {passes} passes, {campaign.standing.told} told"
                assert not list(disagreements(found, given.get("tolerance", 0.0))), where
    assert len(decisions) == 12, "every guarantee has passes, fails and undecided arms"
