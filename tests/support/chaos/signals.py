"""What runs in processes that tell past arms and scores until they are killed."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import TypeAlias

from tests.support.chaos.nursery import Say
from tests.support.chaos.workers import begin
from thresher.campaign import Campaign
from thresher.campaign.backends import connect
from thresher.campaign.ledger import PastArm, Score

ARMS, ITEMS, PAST = 4, 30, 12
CHUNK = 7  # scores in a call

Told: TypeAlias = tuple[str, int, int]  # "past", its number, -1; or "score", the arm, the item


def begin_with_items(address: str) -> Campaign:
    """Return a new campaign whose outcomes, past arms and scores fit the functions below."""
    return begin(address, arms=ARMS, items=ITEMS)


def past_of(number: int) -> list[float | None]:
    """Return what a past arm answered."""
    return [None if (number + i) % 5 == 0 else ((number * 7 + i * 3) % 11) / 4.0 for i in range(ITEMS)]


def score_of(arm: int, item: int) -> float:
    """Return the score of the answer of an arm to an item."""
    return ((arm * 13 + item * 5) % 17) / 8.0


def tell_signals(say: Say, address: str, name: str, order: int, *, token: str | None = None) -> None:
    """Tell all past arms and all scores in a random order; say of each call what is stored now."""
    backend = connect(address, name, token=token)
    say(ready=True)
    calls: list[tuple[str, int, range]] = [("past", number, range(0)) for number in range(PAST)]
    calls += [("score", k, range(i, min(i + CHUNK, ITEMS))) for k in range(ARMS) for i in range(0, ITEMS, CHUNK)]
    random.Random(order).shuffle(calls)
    for kind, number, items in calls:
        if kind == "past":
            backend.tell_history([PastArm(f"old {number}", past_of(number))])
        else:
            backend.tell_proxy([Score(f"arm {number}", str(i + 1), score_of(number, i)) for i in items])
        say(stored=[(kind, number, item) for item in items or [-1]])
    backend.disconnect()
    say(end=True)


def tell_all(say: Say, address: str, name: str, *, order: int) -> None:
    """Tell all signals in the database itself."""
    tell_signals(say, address, name, order)


def command(say: Say, words: list[str]) -> None:
    """Run a command line; say with which code it ended."""
    from thresher.cli.main import main

    say(ready=True)
    with Path(os.devnull).open("w") as sys.stdout:
        try:
            main(words)
        except SystemExit as ended:
            say(code=ended.code)
