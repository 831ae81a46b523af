"""``thresher verdicts``: a table, a document, and an exit code for scripts."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from thresher.live import Campaign

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


def test_the_table_has_every_arm_and_says_that_means_are_biased(told: Cli) -> None:
    said = told("verdicts", "coins")
    assert said.code == 0
    assert said.out.startswith("coins: 300 of 300 spent, ")
    assert [line.split()[:3] for line in said.out.splitlines()[2:4]] == [
        ["good", "above", "yes"],
        ["bad", "below", "yes"],
    ]
    assert "biases their means" in said.err


def test_json_is_one_document(told: Cli) -> None:
    answer = json.loads(told("verdicts", "--json").out)
    assert set(answer) >= {"campaign", "expected_mistakes", "verdicts", "notes"}
    row = answer["verdicts"][0]
    assert (row["arm"], row["verdict"], row["sure"]) == ("good", "above", True)
    assert row["low"] < row["mean"] <= row["high"]
    assert answer["expected_mistakes"] == pytest.approx(sum(row["p_wrong"] for row in answer["verdicts"]))


def test_nothing_known_is_null_not_infinite(thresher: Cli) -> None:
    thresher("new", "g", "-a", "x", "-t", "0", "-b", "9", "--family", "gaussian", "--sigma", "1")
    [row] = json.loads(thresher("verdicts", "--json").out)["verdicts"]
    assert (row["verdict"], row["mean"], row["low"], row["high"]) == ("undecided", None, None, None)


def test_a_check_ends_with_1_if_an_arm_fails_and_2_if_one_is_not_sure(told: Cli) -> None:
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


def test_the_least_sure_are_left_open_where_asked(told: Cli) -> None:
    said = told("verdicts", "--abstain", "0.01")
    assert [line.split()[1] for line in said.out.splitlines()[2:]] == ["above", "below", "undecided"]
    assert "1 arm(s) are left open on purpose" in said.err


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
        (["--pass", "up"], "above or below"),
        (["--abstain", "0"], "--abstain 0"),
        (["--abstain", "1.5"], "--abstain 1.5"),
        (["dice"], "coins"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(told: Cli, words: list[str], said: str) -> None:
    answer = told("verdicts", *words)
    assert (answer.code, answer.out) == (3, "")
    assert said in answer.err.splitlines()[0]
