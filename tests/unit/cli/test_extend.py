"""``thresher extend`` and ``thresher list``: the budget grows, once for each key, and the list shows it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from thresher.campaign import Campaign

Cli = Callable[..., Any]


def budget(cli: Cli) -> float:
    return float(json.loads(cli("list", "--json").out)["campaigns"][0]["budget"])


def test_the_budget_grows_and_ended_campaigns_go_on(coins: Cli) -> None:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(20)])
    campaign.disconnect()
    assert "ended" in coins("list").out
    said = coins("extend", "coins", "2.5")
    assert (said.code, said.out) == (0, "coins: a budget of 22.5\n")
    standing = json.loads(coins("extend", "0.5", "--json").out)
    assert (standing["name"], standing["budget"], standing["is_open"]) == ("coins", 23.0, True)
    assert "open" in coins("list").out
    assert len(coins("ask", "-n", "5").out.splitlines()) == 3


def test_said_again_with_the_same_key_it_counts_once(coins: Cli) -> None:
    for _ in range(2):
        assert coins("extend", "10", "--key", "k").code == 0
    assert budget(coins) == 30.0


@pytest.mark.parametrize("amount", ["0", "nan", "inf", "much", "1e300", ""])
def test_what_is_no_amount_is_refused(coins: Cli, amount: str) -> None:
    said = coins("extend", "coins", amount)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("thresher: ")
    assert budget(coins) == 20.0


def test_a_negative_amount_is_refused(coins: Cli) -> None:
    assert coins("extend", "--", "coins", "-5").code == 3
    assert budget(coins) == 20.0
