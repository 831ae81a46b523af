"""``thresher verify``: all stored data match the log, or it is said what is not."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]


def test_an_untouched_campaign_is_as_it_was_written(coins: Cli) -> None:
    ticket = coins("ask").out.split("\t")[0]
    coins("tell", ticket, "yes")
    said = coins("verify", "coins")
    assert (said.code, said.out) == (0, "coins: 4 events, all stored data match the log\n")
    assert json.loads(coins("verify", "--json").out) == {"campaign": "coins", "ok": True, "events": 4, "findings": []}


def test_a_changed_number_is_found(coins: Cli, in_folder: Path) -> None:
    ticket = coins("ask").out.split("\t")[0]
    coins("tell", ticket, "yes")
    database = sqlite3.connect(in_folder / "thresher.db")
    database.execute("UPDATE arm SET total = 0")
    database.commit()
    database.close()
    said = coins("verify")
    assert (said.code, said.out) == (3, "")
    assert "arm" in said.err
    machine = coins("verify", "--json")
    document = json.loads(machine.out)
    assert (machine.code, machine.err) == (3, said.err)
    assert (document["campaign"], document["ok"], document["events"]) == ("coins", False, None)
    assert "arm" in document["findings"][0]


def test_a_campaign_that_is_not_there_is_named(coins: Cli) -> None:
    said = coins("verify", "dice")
    assert said.code == 3
    assert "dice" in said.err


def test_all_campaigns_are_verified_even_after_one_that_is_damaged(coins: Cli, in_folder: Path) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "20")
    said = coins("verify", "--all")
    assert (said.code, said.out.splitlines()[-1]) == (0, "2 campaigns verified")
    database = sqlite3.connect(in_folder / "thresher.db")
    database.execute("UPDATE arm SET total = 7 WHERE name = 'fair'")
    database.commit()
    database.close()
    said = coins("verify", "--all")
    assert said.code == 3
    assert said.out.splitlines() == ["coins: DAMAGED", "dice: all stored data match the log"]
    assert "coins" in said.err
    found = json.loads(coins("verify", "--all", "--json").out)["campaigns"]
    assert [(one["campaign"], one["ok"]) for one in found] == [("coins", False), ("dice", True)]
    assert "leave the name out" in coins("verify", "coins", "--all").err
