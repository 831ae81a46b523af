"""``thresher work``: a worker says at the end what it did."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from thresher.live import Campaign

Cli = Callable[..., Any]


def test_what_was_done_is_said_to_people_and_to_machines(coins: Cli) -> None:
    coins("new", "dice", "-a", "six", "-t", "0.5", "-b", "3")
    words = ["--command", "echo 1", "--outcome", "last-line"]
    people = coins("work", "sqlite:///thresher.db", "dice", *words)
    assert (people.code, people.out, people.err) == (0, "", "3 outcomes told, 0 pulls given back.\n")
    coins("extend", "dice", "2")
    machine = coins("work", "sqlite:///thresher.db", "dice", *words, "--json")
    assert (machine.code, machine.err) == (0, "")
    assert json.loads(machine.out) == {"campaign": "dice", "measured": 2, "failed": 0}


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
