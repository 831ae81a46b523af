"""``thresher verdicts``: a table, a document, and an exit code for scripts."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.number_text import NO_BREAK
from thresher.service import create_app

Cli = Callable[..., Any]
RATES = {"good": 0.95, "bad": 0.05, "near": 0.52}


@pytest.fixture
def told(thresher: Cli) -> Cli:
    """Give the command line where three coins were thrown 300 times."""
    campaign, rng = (
        Campaign.create("sqlite:///thresher.db", "coins", arms=list(RATES), threshold=0.5, budget=300),
        random.Random(1),
    )
    while tickets := campaign.ask(20):
        campaign.tell_many([(ticket, rng.random() < RATES[ticket.arm]) for ticket in tickets])
    campaign.disconnect()
    return thresher


def test_the_summary_comes_first_then_every_arm_then_the_next_step(told: Cli) -> None:
    said = told("verdicts", "coins")
    assert said.code == 0
    text = said.out.replace("\n", " ")
    assert text.startswith("coins: 1 pass, 1 fail, 1 undecided (1 ")
    assert "Bar: above 0.5. 300 of 300 measurements spent. If you acted on all 3 now, expect about 0." in text
    assert f"Decided at a chance of error of at most 5{NO_BREAK}%." in text
    rows = [line.split()[:3] for line in said.out.splitlines() if line.startswith(("good", "bad", "near"))]
    assert rows[:2] == [["good", "✔", "pass"], ["bad", "✘", "fail"]]
    assert rows[2][0] == "near"
    assert re.search(r"more measurements would decide .*\(thresher extend coins \d+\)", text)
    assert "biases the means" in said.err


def test_without_outcomes_nothing_is_wrong_or_biased(thresher: Cli) -> None:
    Campaign.create("sqlite:///thresher.db", "coins", arms=["a", "b"], threshold=0.5, budget=30).disconnect()
    said = thresher("verdicts", "coins")
    assert said.out.replace("\n", " ").startswith(
        "coins: 2 arms, not measured yet. Bar: above 0.5. 0 of 30 measurements"
    )
    assert "biases" not in said.err


def test_another_risk_is_a_look_and_changes_nothing(told: Cli) -> None:
    before = told("verdicts", "--json").out
    strict = json.loads(told("verdicts", "--risk", "0.49", "--guarantee", "calibrated", "--json").out)
    assert strict["counts"]["open"] == 0
    assert told("verdicts", "--risk", "0.01", "--guarantee", "fdr").out.count(f"rate of at most 1{NO_BREAK}%.") == 1
    assert told("verdicts", "--json").out == before


def test_json_is_one_document(told: Cli) -> None:
    answer = json.loads(told("verdicts", "--json").out)
    assert set(answer) >= {"campaign", "summary", "counts", "expected_mistakes", "verdicts", "notes"}
    row = answer["verdicts"][0]
    assert (row["arm"], row["verdict"], row["decision"]) == ("good", "above", "pass")
    assert row["valid_low"] < row["mean"] <= row["valid_high"]
    assert answer["expected_mistakes"] == pytest.approx(sum(row["p_wrong"] for row in answer["verdicts"]))


def test_nothing_known_is_null_not_infinite(thresher: Cli) -> None:
    thresher("new", "g", "-a", "x", "-t", "0", "-b", "9", "--family", "gaussian", "--sigma", "1")
    [row] = json.loads(thresher("verdicts", "--json").out)["verdicts"]
    assert (row["verdict"], row["mean"], row["low"], row["high"]) == ("undecided", None, None, None)


def test_a_check_ends_with_1_if_an_arm_fails_and_2_if_none_does_and_one_is_open(told: Cli) -> None:
    assert told("verdicts", "--check").code == 1
    assert told("verdicts", "--check", "--pass", "below").code == 1
    assert told("verdicts").code == 0
    campaign = Campaign.create("sqlite:///thresher.db", "one", arms=["x"], threshold=0.5, budget=30)
    assert told("verdicts", "one", "--check").code == 2
    for ticket in campaign.tickets():
        campaign.tell(ticket, True)
    campaign.disconnect()
    assert told("verdicts", "one", "--check").code == 0
    assert told("verdicts", "one", "--check", "--pass", "below").code == 1


def test_of_more_than_forty_arms_the_rest_is_shown_on_request(thresher: Cli) -> None:
    names = [word for i in range(50) for word in ("-a", f"arm-{i}")]
    thresher("new", "many", *names, "-t", "0.5", "-b", "99")
    short, long = thresher("verdicts").out, thresher("verdicts", "--all").out
    assert (short.count("not measured\n") < 50, short.count("arm-"), long.count("arm-")) == (True, 40, 50)
    assert "… and 10 more (--all)" in short
    assert "99 of the budget is left: continue measuring (thresher ask many)." in short


def test_outcomes_that_depend_on_each_other_are_warned_of(thresher: Cli) -> None:
    campaign = Campaign.create("sqlite:///thresher.db", "cached", arms=["x", "y"], threshold=0.5, budget=400)
    for i in range(20):
        campaign.tell_many([(ticket, i % 2) for ticket in campaign.ask(20)])
    campaign.disconnect()
    assert "Note: outcomes of an arm are not independent" in thresher("verdicts").err
    assert any("not independent" in note for note in json.loads(thresher("verdicts", "--json").out)["notes"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pass", "up"], "above"),
        (["--risk", "0"], "risk is 0; must be between 0 and 0.5"),
        (["--guarantee", "none"], "calibrated"),
        (["dice"], "coins"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(told: Cli, words: list[str], said: str) -> None:
    answer = told("verdicts", *words)
    assert (answer.code, answer.out) == (3, "")
    assert said in answer.err.splitlines()[0]


def test_the_next_step_of_a_campaign_behind_a_service_is_shown(thresher: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(MemoryStorage())
    campaign = Campaign.create(app.state.registry.storage, "coins", arms=list(RATES), threshold=0.5, budget=60)
    for arm, heads in {"good": 19, "bad": 1, "near": 11}.items():
        campaign.tell_counts(arm, n=20, total=heads)
    assert campaign.verdicts().offer  # compiled before a client waits for it
    monkeypatch.setenv("THRESHER_TOKEN", app.state.keyring.new_token("admin"))
    with served(app) as address:
        said = thresher("verdicts", "coins", "--db", address)
    assert said.code == 0, said.err
    assert re.search(r"more measurements would decide .*\(thresher extend coins \d+", said.out.replace("\n", " "))


def test_another_bar_says_which_decisions_would_change(thresher: Cli) -> None:
    campaign = Campaign.create("sqlite:///thresher.db", "rates", arms=["low", "high"], bar=0.5, budget=200)
    for arm, total in (("low", 70.0), ("high", 95.0)):
        campaign.tell_counts(arm, n=100, total=total)
    campaign.disconnect()
    said = thresher("verdicts", "rates", "--bar", "80%", "--check")
    assert said.code == 1
    text = " ".join(said.out.split())
    assert "Bar: above 0.8." in text
    assert text.endswith("With this bar 1 of 2 decisions would change: low (pass → fail). The campaign keeps its own.")
    document = json.loads(thresher("verdicts", "rates", "--bar", "0.8", "--json").out)
    assert document["flips"] == [{"arm": "low", "before": "pass", "after": "fail"}]
    assert "flips" not in json.loads(thresher("verdicts", "rates", "--json").out)
    assert "every decision would be the same" in thresher("verdicts", "rates", "--bar", "0.51").out.replace("\n", " ")
