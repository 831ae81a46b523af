"""``thresher list``: the campaigns of a database and their state."""

import json
from collections.abc import Callable
from typing import Any

from thresher.campaign import Campaign

Cli = Callable[..., Any]


def test_the_oldest_comes_first_with_what_was_spent(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "9")
    ticket = coins("ask", "coins").out.split("\t")[0]
    coins("tell", "coins", ticket, "yes")
    coins("ask", "dice")
    rows = [line.split() for line in coins("list").out.splitlines()]
    assert rows == [
        [*["campaign", "status", "pass", "fail", "undecided", "arms", "budget", "spent"], "in", "flight"],
        ["coins", "open", "0", "0", "2", "2", "20", "1", "0"],
        ["dice", "open", "0", "0", "1", "1", "9", "0", "1"],
    ]


def test_json_has_the_same_and_an_empty_database_has_none(coins: Cli) -> None:
    answer = json.loads(coins("list", "--json").out)
    assert [(row["name"], row["is_open"], row["told"]) for row in answer["campaigns"]] == [("coins", True, 0)]


def test_a_paused_and_a_closed_campaign_are_called_so(coins: Cli) -> None:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    campaign.pause()
    assert coins("list").out.splitlines()[1].split()[1] == "paused"
    campaign.close()
    assert coins("list").out.splitlines()[1].split()[1] == "closed"
    campaign.disconnect()


def test_people_and_machines_hear_the_same_of_a_campaign_that_has_ended(coins: Cli) -> None:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(20)])
    campaign.disconnect()
    assert coins("list").out.splitlines()[1].split()[1] == "ended"
    [listed] = json.loads(coins("list", "--json").out)["campaigns"]
    assert (listed["status"], listed["is_open"]) == ("ended", False)
    judged = json.loads(coins("verdicts", "--json").out)
    assert judged["campaign"] | {"counts": judged["counts"]} == listed
    assert json.loads(coins("extend", "1", "--json").out)["status"] == "open"


def test_one_campaign_may_be_named(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "9")
    assert [line.split()[0] for line in coins("list", "dice").out.splitlines()] == ["campaign", "dice"]
    assert [row["name"] for row in json.loads(coins("list", "dice", "--json").out)["campaigns"]] == ["dice"]
    said = coins("list", "dise")
    assert (said.code, said.out) == (3, "")
    assert "existing: 'dice'" in said.err
