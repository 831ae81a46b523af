"""A small campaign is judged by interpreted formulas, to the last bit as by compiled ones, and without a compiler."""

import json
import math
from typing import Any

import pytest

from thresher import jit
from thresher.campaign import Campaign

# Totals of ten outcomes each: all, near the bar, and none.
TOTALS = {"all": 10.0, "near": 8.0, "none": 0.0}


def new_campaign(name: str, **terms: Any) -> Campaign:
    """Return a campaign with ten outcomes of each arm."""
    campaign = Campaign.create(f"memory://{name}", name, arms=[*TOTALS], threshold=0.7, budget=400, **terms)
    for arm, total in TOTALS.items():
        squares = {"gaussian-unknown-variance": total + 0.5}.get(terms["family"])
        campaign.tell_counts(arm, n=10, total=total, squares=squares)
    return campaign


def judged(campaign: Campaign) -> tuple[str, Any]:
    """Return everything that verdicts say, and the forecast."""
    found = campaign.verdicts()
    return json.dumps(found.to_document()), found.offer


@pytest.mark.by_day("bernoulli", "bernoulli anytime", "gaussian-unknown-variance")
@pytest.mark.parametrize(
    "terms",
    [
        {"family": "bernoulli"},
        {"family": "bernoulli", "guarantee": "anytime"},
        {"family": "gaussian", "sigma": 0.5},
        {"family": "bounded", "high": 2.0},
        {"family": "gaussian-unknown-variance"},
    ],
    ids=lambda terms: " ".join(map(str, terms.values())),
)
def test_interpreted_and_compiled_formulas_give_the_same_verdicts_and_forecasts(
    terms: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = new_campaign("-".join(map(str, terms.values())), **terms)
    interpreted: list[str] = []
    plain = jit.interpreted

    def noted(function: Any, **names: Any) -> Any:
        interpreted.append(function.__name__)
        return plain(function, **names)

    compiled = judged(campaign)
    monkeypatch.setattr(jit, "interpreted", noted)
    monkeypatch.setattr(jit, "is_numba_loaded", lambda: False)
    monkeypatch.setattr(jit, "LOADING", math.inf)
    monkeypatch.setattr(jit, "COMPILING", math.inf)
    jit.plain.cache_clear()
    assert judged(campaign) == compiled
    assert {"_maximise", "_quantiles", "carry_on"} & {*interpreted}
    jit.plain.cache_clear()


def test_a_process_that_judges_often_loads_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    @jit.njit
    def twice(x: float) -> float:
        return 2.0 * x

    monkeypatch.setattr(jit, "is_numba_loaded", lambda: False)
    monkeypatch.setattr(jit, "_interpreted_time", 0.0)
    half = 0.5 * jit.COMPILING
    assert [jit.quickest(twice, half) is twice for _ in range(3)] == [False, False, True]
    assert jit.quickest(twice, half)(2.0) == 4.0
    monkeypatch.setattr(jit, "_interpreted_time", 0.0)
    monkeypatch.setattr(jit, "is_numba_loaded", lambda: True)
    assert jit.quickest(twice, 0.1) is twice
