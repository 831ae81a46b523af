"""Colours of decisions on a real terminal: never alone, not where they are not wanted."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import thresher as th

GREEN, RED, YELLOW = "\x1b[32m", "\x1b[31m", "\x1b[33m"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A campaign with an arm that passes, one that fails and one that is open."""
    place = f"sqlite:///{tmp_path / 'colours.db'}"
    campaign = th.Campaign.create(place, "coins", arms=["high", "low", "middle"], threshold=0.5, budget=60)
    for arm, total in (("high", 20), ("low", 0), ("middle", 10)):
        campaign.tell_counts(arm, n=20, total=total)
    return place


def shown(database: str, *, is_terminal: bool, **more: str) -> str:
    """Return what ``thresher verdicts`` prints to a terminal or a pipe."""
    command = [sys.executable, "-m", "thresher", "verdicts", "coins", "--db", database]
    dropped = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80"} | more
    if not is_terminal:
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=environment, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 4096):
                parts.append(part)
        except OSError:  # Linux reports the end of a terminal as an error
            pass
        assert process.wait() == 0
    os.close(ours)
    return b"".join(parts).decode()


def test_decisions_have_colours_on_a_terminal_with_their_words(database: str) -> None:
    printed = shown(database, is_terminal=True)
    for start in (f"{GREEN}✔ pass", f"{RED}✘ fail", f"{YELLOW}too close to call"):
        assert start in printed


@pytest.mark.nightly
def test_no_colour_where_it_is_not_wanted_or_not_a_terminal(database: str) -> None:
    for printed in (shown(database, is_terminal=True, NO_COLOR="1"), shown(database, is_terminal=False)):
        assert "✔ pass" in printed
        assert not any(colour in printed for colour in (GREEN, RED, YELLOW))
