"""``thresher ask``: which arm to measure next."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from thresher.campaign import Campaign

Cli = Callable[..., Any]


def test_each_line_is_a_ticket_and_its_arm(coins: Cli) -> None:
    lines = [line.split("\t") for line in coins("ask", "coins", "-n", "2").out.splitlines()]
    assert [arm for _, arm in lines] == ["fair", "bent"]
    assert coins("tell", lines[0][0], "yes").out == "fair: told\n"


def test_json_has_when_the_lease_ends_and_whether_there_may_be_more(coins: Cli) -> None:
    answer = json.loads(coins("ask", "--json").out)
    assert answer["is_open"]
    assert [row["arm"] for row in answer["tickets"]] == ["fair"]
    assert answer["tickets"][0]["expires"].endswith("+00:00")


def test_the_same_key_gives_the_same_tickets(coins: Cli) -> None:
    first, again = coins("ask", "-n", "3", "--key", "k"), coins("ask", "-n", "3", "--key", "k")
    assert first.out == again.out
    assert json.loads(coins("list", "--json").out)["campaigns"][0]["outstanding"] == 3


def test_it_says_whether_to_come_again(coins: Cli) -> None:
    tickets = [line.split("\t")[0] for line in coins("ask", "-n", "20").out.splitlines()]
    assert len(tickets) == 20
    waiting = coins("ask")
    assert (waiting.code, waiting.out, waiting.err) == (0, "", "Others hold the rest of the budget: ask again later.\n")
    coins("pause")
    assert coins("ask").err == "The campaign is paused: ask again after 'thresher resume'.\n"
    coins("resume")
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    campaign.tell_many([(ticket, 1) for ticket in tickets])
    campaign.disconnect()
    assert coins("ask").err == "The campaign has ended.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ask", "-n", "0"], "--count"),
        (["ask", "-n", "10001"], "10000"),
        (["ask", "-n", "many"], "whole number"),
        (["ask", "dice"], "'coins'"),
        (["ask", "--key", "k" * 201], "200 characters"),
        (["ask", "--db", "sqlite:///none.db"], "none.db does not exist"),
        (["ask", "--db", "mysql://x"], "mysql"),
    ],
    ids=str,
)
def test_bad_input_takes_nothing_of_the_budget(coins: Cli, words: list[str], said: str) -> None:
    answer = coins(*words)
    assert (answer.code, answer.out) == (3, "")
    assert said in answer.err.splitlines()[0]
    assert json.loads(coins("list", "--json").out)["campaigns"][0]["outstanding"] == 0


def test_a_campaign_must_be_named_where_there_are_two(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "9")
    answer = coins("ask")
    assert answer.code == 3
    assert "coins" in answer.err
    assert "dice" in answer.err
    assert coins("ask", "dice").out.endswith("\tsix\n")
