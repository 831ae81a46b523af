"""``thresher void`` and ``thresher tell``: outcomes come in once, and can be taken out again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
FOREIGN = "1-9f86d081884c7d659a2feaa0c55ad015"


def ticket_of(cli: Cli) -> str:
    return str(cli("ask").out.split("\t")[0])


def pulls(cli: Cli) -> list[int]:
    return [row["pulls"] for row in json.loads(cli("verdicts", "--json").out)["verdicts"]]


def events(cli: Cli) -> int:
    return int(json.loads(cli("list", "--json").out)["campaigns"][0]["events"])


def test_an_outcome_that_is_void_counts_no_more_and_stays_paid(coins: Cli) -> None:
    ticket = ticket_of(coins)
    coins("tell", ticket, "no")
    said = coins("void", "coins", ticket, "--reason", "wrong coin")
    assert (said.code, said.out) == (0, "void\n")
    assert pulls(coins) == [0, 0]
    document = json.loads(coins("void", ticket, "--reason", "wrong coin", "--json").out)
    assert document == {"campaign": "coins", "ticket": ticket, "reason": "wrong coin"}
    assert json.loads(coins("list", "--json").out)["campaigns"][0]["spent"] == 1
    assert coins("verify").code == 0


@pytest.mark.parametrize("outcome", ["2", "nan", "inf", "-1", "0.5", "maybe", "1e999", ""])
def test_an_outcome_that_no_coin_gives_is_refused(coins: Cli, outcome: str) -> None:
    ticket = ticket_of(coins)
    before = events(coins)
    said = coins("tell", "--", "coins", ticket, outcome)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("thresher: ")
    assert ("give a number, or yes or no" in said.err) == (outcome in ("maybe", "", "nan", "inf", "1e999"))
    assert (pulls(coins), events(coins)) == ([0, 0], before)
    assert coins("tell", ticket, "yes").code == 0  # the ticket is as good as before


@pytest.mark.parametrize("ticket", [FOREIGN, "99-" + FOREIGN[2:], "nonsense", "1-'; DROP TABLE pull; --"])
def test_a_ticket_that_was_never_issued_is_refused(coins: Cli, ticket: str) -> None:
    ticket_of(coins)
    before = events(coins)
    for words in (["tell", "coins", ticket, "yes"], ["void", "coins", ticket]):
        said = coins(*words)
        assert (said.code, said.out) == (3, "")
        assert "never issued the ticket" in said.err
        assert "tell it" not in said.err
    assert (pulls(coins), events(coins)) == ([0, 0], before)


def test_a_ticket_of_another_campaign_is_refused(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "9")
    ticket = coins("ask", "dice").out.split("\t")[0]
    said = coins("tell", "coins", ticket, "yes")
    assert said.code == 3
    assert "ticket" in said.err


def test_another_outcome_is_refused_with_the_stored_one(coins: Cli) -> None:
    ticket = ticket_of(coins)
    assert coins("tell", ticket, "yes").out == "fair: told\n"
    assert coins("tell", ticket, "yes").out == "fair: told before\n"
    said = coins("tell", ticket, "no")
    assert said.code == 3
    assert "already has outcome 1 (got 0); use amend" in said.err
    assert pulls(coins) == [1, 0]


def test_what_was_not_told_cannot_be_void_and_words_must_fit(coins: Cli) -> None:
    assert coins("void", ticket_of(coins)).code == 3
    assert coins("void").code == 3
    assert coins("void", "coins", FOREIGN, "more").code == 3
    assert "TICKET OUTCOME" in coins("tell", "coins").err


def test_an_import_is_undone_by_its_id(coins: Cli, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\nfair,1\nbent,0\n")
    said = coins("tell", "--from", str(tmp_path / "runs.csv"))
    name = said.err.split()[-1]
    assert pulls(coins) == [1, 1]
    assert coins("void", "--import", name).out == f"void: 2 outcomes of the import {name}\n"
    document = json.loads(coins("void", "coins", "--import", name, "--json").out)
    assert document == {"campaign": "coins", "import": name, "voided": 0, "reason": ""}
    assert pulls(coins) == [0, 0]
    refused = coins("void", "--import", "nonsense")
    assert (refused.code, "unknown import 'nonsense'" in refused.err) == (3, True)
    assert coins("void", "coins", FOREIGN, "--import", name).code == 3


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["void", "coins"], "must be [CAMPAIGN] TICKET"),
        (["tell", "coins", "yes"], "must be [CAMPAIGN] TICKET OUTCOME"),
        (["amend", "coins", "yes"], "must be [CAMPAIGN] TICKET OUTCOME"),
    ],
)
def test_a_campaign_without_a_ticket_is_not_taken_for_a_ticket(coins: Cli, words: list[str], rule: str) -> None:
    said = coins(*words)
    assert said.code == 3
    assert f"what follows the command is '{' '.join(words[1:])}'; {rule}" in said.err
