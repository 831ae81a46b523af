"""``thresher amend``: an outcome is replaced, and the log keeps both."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]


@pytest.fixture
def ticket(coins: Cli) -> str:
    """The ticket of an outcome 1 of the first coin."""
    taken = str(coins("ask").out.split("\t")[0])
    assert coins("tell", taken, "yes").code == 0
    return taken


def means(cli: Cli) -> list[float | None]:
    return [row["mean"] for row in json.loads(cli("verdicts", "--json").out)["verdicts"]]


def test_the_new_outcome_counts_in_place_of_the_old_one(coins: Cli, ticket: str) -> None:
    said = coins("amend", ticket, "no", "--reason", "upside down")
    assert (said.code, said.out) == (0, "amended\n")
    assert means(coins) == [0.0, None]
    assert json.loads(coins("list", "--json").out)["campaigns"][0]["spent"] == 1
    assert coins("verify").code == 0


def test_json_says_what_stands_now(coins: Cli, ticket: str) -> None:
    document = json.loads(coins("amend", "coins", ticket, "0", "--json").out)
    assert document == {"campaign": "coins", "ticket": ticket, "outcome": 0.0, "reason": ""}


def test_it_brings_a_void_outcome_back(coins: Cli, ticket: str) -> None:
    coins("void", ticket)
    assert means(coins) == [None, None]
    assert coins("amend", ticket, "yes").code == 0
    assert means(coins) == [1.0, None]


@pytest.mark.parametrize(("outcome", "sentence"), [("maybe", "give a number, or yes or no"), ("2", "neither 0 nor 1")])
def test_what_is_no_outcome_is_refused(coins: Cli, ticket: str, outcome: str, sentence: str) -> None:
    said = coins("amend", ticket, outcome)
    assert (said.code, said.out) == (3, "")
    assert sentence in said.err
    assert means(coins) == [1.0, None]


def test_an_outcome_that_is_not_there_cannot_be_replaced(coins: Cli) -> None:
    taken = str(coins("ask").out.split("\t")[0])
    assert "no counted outcome" in coins("amend", taken, "yes").err
    assert "TICKET OUTCOME" in coins("amend", taken).err
