"""What a verdict on items is about: these items, or a population that they are a sample of."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.campaign.ledger import Arm, Ledger, SortKeys, Terms
from thresher.errors import InvalidInputError

N_ITEMS = 40


def campaign_with(name: str, outcomes: Any, **terms: Any) -> th.Campaign:
    """Return a campaign that was told these outcomes, shape (K, N)."""
    arms, items = [f"arm {k}" for k in range(len(outcomes))], [f"item {i}" for i in range(len(outcomes[0]))]
    campaign = th.Campaign.create(
        "memory://", f"{name} {terms}", arms=arms, items=items, threshold=0.5, budget=len(arms) * len(items), **terms
    )
    told = [(arms[k], items[i], value) for k, row in enumerate(outcomes) for i, value in enumerate(row)]
    campaign.tell_items(told)
    return campaign


def test_with_all_items_answered_these_are_certain_and_their_population_is_not() -> None:
    outcomes = [[1.0] * 24 + [0.0] * 16]
    [these] = campaign_with("whole", outcomes).verdicts()
    [like_these] = campaign_with("whole", outcomes, target="population").verdicts()
    assert (these.p_wrong, these.certain, these.low, these.high) == (0.0, True, 0.6, 0.6)
    assert like_these.p_wrong > 0.05
    assert not like_these.certain
    assert like_these.decision == "open"
    assert like_these.mean == these.mean == 0.6
    assert like_these.valid_low < 0.5


def test_the_population_is_judged_as_independent_draws_if_items_do_not_matter() -> None:
    outcomes = [[1.0] * 24 + [0.0] * 16]
    [row] = campaign_with("draws", outcomes, target="population").verdicts()
    draws = th.Campaign.create("memory://", "draws", arms=["arm 0"], threshold=0.5, budget=40)
    draws.tell_counts("arm 0", n=40, total=24)
    [plain] = draws.verdicts()
    for name in ("p_wrong", "low", "high", "valid_low", "valid_high", "mean"):
        assert getattr(row, name) == pytest.approx(getattr(plain, name)), name


def test_every_summary_says_what_verdicts_are_about() -> None:
    outcomes = [[1.0] * 24 + [0.0] * 16]
    assert "1 pass, 0 fail, 0 undecided on these 40 items." in campaign_with("said", outcomes).verdicts().summary
    assert "for items like these 40." in campaign_with("said", outcomes, target="population").verdicts().summary


def test_a_sample_is_ranked_by_independent_draws_and_ends_with_its_items() -> None:
    terms = Terms(target="population")
    arm, ledger = Arm(0, "a", 0.5, 0.5, 1.0, 1_000_000, pulls=8, total=5.0), Ledger(pools=str(N_ITEMS))
    assert SortKeys(terms).of(arm, ledger) == pytest.approx(SortKeys(Terms()).of(arm))
    assert SortKeys(terms).of(arm._replace(pulls=N_ITEMS), ledger) == np.inf
    decided = arm._replace(pulls=30, total=30.0)
    assert SortKeys(Terms()).of(decided, ledger) == np.inf  # the items left cannot change its side
    assert SortKeys(terms).of(decided, ledger) < np.inf


def test_decisions_about_the_population_are_wrong_no_more_often_than_the_risk() -> None:
    """60 campaigns of 8 arms answer all 40 items; the rates of items and arms vary about the bar.

    The share of wrong decisions is at most 0.05. With that share, more than 28 of 300 decisions would be wrong with a
    probability below 0.001.
    """
    rng, wrong, decided, certain = np.random.default_rng(7), 0, 0, 0
    for run in range(60):
        rates = rng.normal(0.0, 0.6, 8)
        logits = rates[:, None] + rng.normal(0.0, 1.0, N_ITEMS)
        outcomes = (rng.random((8, N_ITEMS)) < 1.0 / (1.0 + np.exp(-logits))).astype(float).tolist()
        rows = campaign_with(f"run {run}", outcomes, target="population").verdicts()
        found = [(row.decision, rate > 0.0) for row, rate in zip(rows, rates, strict=True)]
        decided += sum(decision != "open" for decision, _ in found)
        wrong += sum(decision != "open" and (decision == "pass") != truth for decision, truth in found)
        certain += sum(row.certain for row in rows)
    assert certain == 0
    assert decided > 150
    assert wrong <= 28


@pytest.mark.parametrize(
    ("given", "field"),
    [({}, "target"), ({"items": 5, "guarantee": "fdr"}, "guarantee"), ({"items": 5, "control": "a"}, "target")],
)
def test_what_a_population_cannot_be_combined_with_is_refused(given: dict[str, Any], field: str) -> None:
    bar: dict[str, Any] = {} if "control" in given else {"threshold": 0.5}
    with pytest.raises(InvalidInputError, match=f"^{field}"):
        th.Campaign.create("memory://", "refused", arms=["a", "b"], budget=10, target="population", **bar, **given)
