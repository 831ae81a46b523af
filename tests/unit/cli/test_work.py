"""``thresher work``: a worker says at the end what it did."""

import json
from collections.abc import Callable
from typing import Any

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
