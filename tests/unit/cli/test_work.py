"""``thresher work``: a worker says at the end what it did."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign import Campaign

Cli = Callable[..., Any]


def test_what_was_done_is_said_to_people_and_to_machines(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "3")
    words = ["--command", "echo 1", "--outcome", "last-line"]
    people = coins("work", "sqlite:///thresher.db", "dice", *words)
    assert (people.code, people.out, people.err) == (0, "", "3 outcomes told, 0 pulls returned.\n")
    coins("extend", "dice", "2")
    machine = coins("work", "sqlite:///thresher.db", "dice", *words, "--json")
    assert (machine.code, machine.err) == (0, "")
    assert json.loads(machine.out) == {"campaign": "dice", "measured": 2, "failed": 0}


def test_a_worker_tells_what_a_measurement_has_cost(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "3")
    words = ["--command", "echo 0.75", "--cost", "last-line"]
    assert coins("work", "sqlite:///thresher.db", "dice", *words).err == "3 outcomes told, 0 pulls returned.\n"
    assert "must be returned, last-line" in coins("work", "sqlite:///thresher.db", "dice", *words[:3], "usd").err


def test_an_arm_that_would_be_an_option_is_refused_before_anything_is_measured(thresher: Cli, in_folder: Path) -> None:
    address = "sqlite:///thresher.db"
    campaign = Campaign.create(address, "c", arms=["a", "-copen('ran', 'w')"], threshold=0.5, budget=6)
    said = thresher("work", address, "c", "--command", "touch {arm}; python3 {arm}")
    assert said.code == 3
    assert "the command would read it as an option" in said.err
    assert [path.name for path in in_folder.iterdir() if not path.name.startswith("thresher.db")] == []
    assert [entry.kind for entry in campaign.history()] == ["created", "arms-added"]
    campaign.retire("-copen('ran', 'w')")
    assert thresher("work", address, "c", "--command", "touch {arm}").code == 0
    campaign.disconnect()


def test_a_command_that_fails_on_every_arm_is_asked_about_on_a_terminal(
    thresher: Cli, type_in: Callable[[str], int]
) -> None:
    address, wrong = "sqlite:///thresher.db", "echo no such model >&2; exit 1"
    thresher("new", "dice", "-a", "six", "-t", "0.5", "-b", "20")
    type_in("n")
    said = thresher("work", address, "dice", "--command", wrong)
    assert said.code == 3
    assert "no such model" in said.err
    assert "continue? [y/N]" in said.err
    assert "answer is 'n'; must be y" in said.err
    type_in("y")
    said = thresher("work", address, "dice", "--command", wrong, "--json")
    assert (said.code, json.loads(said.out)["measured"]) == (0, 12)


def test_a_command_that_fails_on_every_arm_needs_yes_without_a_terminal(
    thresher: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    thresher("new", "dice", "-a", "six", "-t", "0.5", "-b", "20")
    words = ["work", "sqlite:///thresher.db", "dice", "--command", "echo no such model >&2; exit 1"]
    said = thresher(*words)
    assert said.code == 3
    assert "add --yes" in said.err
    assert "8 outcomes told" in said.err
    assert thresher(*words, "--yes").err == "12 outcomes told, 0 pulls returned.\n"
