"""A run that is killed loses nothing that was paid for."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from thresher.campaign import Campaign
from thresher.run import Run, load_spec

BUDGET, JOBS = 40, 2
SPEC = f"""
bar = 0.5
budget = {BUDGET}
jobs = {JOBS}
lease = 2.0
arms = ["good", "bad", "ugly"]
command = "echo {{arm}} >> log; sleep 0.05; test {{arm}} = good"
"""

PATIENCE = 300.0  # seconds


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a run in a folder."""
    command = [sys.executable, "-m", "thresher", "run", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(folder: Path) -> int:
    """Return how many outcomes are kept."""
    if not (folder / "thresher.db").exists():
        return 0
    with opened(folder) as campaign:
        return campaign.standing.told


def wait_until_told(folder: Path, wanted: int, process: subprocess.Popen[str]) -> None:
    """Wait until this many outcomes are stored."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if told(folder) >= wanted:
                return
        except LookupError:  # the file is there before the campaign is
            pass
        time.sleep(0.02)
    raise AssertionError(process.communicate())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a spec."""
    (tmp_path / "spec.toml").write_text(SPEC)
    return tmp_path


@pytest.mark.nightly("killed twice")
@pytest.mark.parametrize("moments", [(8,), (5, 20)], ids=["killed once", "killed twice"])
def test_kill_9_in_mid_run_repeats_nothing_that_was_told(folder: Path, moments: tuple[int, ...]) -> None:
    kept = []
    for wanted in moments:
        process = start(folder, "spec.toml")
        wait_until_told(folder, wanted, process)
        process.kill()
        process.communicate()
        kept.append(told(folder))
    assert kept == sorted(kept)
    done = start(folder, "spec.toml", "--json")
    out, err = done.communicate(timeout=120)
    assert told(folder) == BUDGET, err
    assert f'"measured": {BUDGET - kept[-1]}' in out
    # What was under way at a kill was not paid for, and is measured again: at most one for each job and kill.
    measured = len((folder / "log").read_text().split())
    assert BUDGET <= measured <= BUDGET + len(moments) * JOBS
    campaign = Campaign.open(f"sqlite:///{folder}/thresher.db", "spec")
    campaign.verify()
    assert campaign.spent == BUDGET
    campaign.disconnect()


JUDGED = '''
bar = 0.5
budget = 4
arms = ["a", "b"]
items = 6
command = "true"
jobs = 1
# After six answers the judge hangs until there is a file `go`.
proxy_command = """
until test -e go || test $(cat judged | wc -l) -lt 6; do sleep 0.05; done
echo {arm} {item} >> judged
echo 0.75
"""
'''


def test_kill_9_while_a_judge_scores_keeps_the_scores_that_were_stored(folder: Path) -> None:
    (folder / "judged").touch()
    (folder / "spec.toml").write_text(JUDGED)
    process = start(folder, "spec.toml")
    deadline = time.monotonic() + PATIENCE
    while stored_scores(folder) < 6:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.kill()
    process.communicate()
    (folder / "go").touch()
    out, err = start(folder, "spec.toml", "--json").communicate(timeout=120)
    assert '"scored": 12' in out, err
    judged = (folder / "judged").read_text().splitlines()
    # The answer that was being scored at the kill is scored again, no other one.
    assert len(set(judged)) == 12
    assert len(judged) <= 13
    with opened(folder) as campaign:
        campaign.verify()


def stored_scores(folder: Path) -> int:
    """Return how many scores of answers are in the log of the campaign."""
    if not (folder / "thresher.db").exists():
        return 0
    with closing(sqlite3.connect(f"file:{folder}/thresher.db?mode=ro", uri=True)) as db:
        try:
            bodies = db.execute("SELECT body FROM event WHERE kind = 'proxy-told'").fetchall()
        except sqlite3.OperationalError:  # not made yet
            return 0
    return sum(len(items) for (body,) in bodies for _, items, _ in json.loads(body)["scores"])


@pytest.mark.nightly
def test_the_tickets_of_a_killed_run_are_taken_back_at_once_and_those_of_a_live_one_never(folder: Path) -> None:
    # After the first few, measurements hang until there is a file `go`; each that does leaves a file.
    hanging = "until test -e go || test $(wc -l < log) -lt 8; do touch hangs-$$; sleep 0.05; done"
    long = SPEC.replace("lease = 2.0", "lease = 36000.0").replace("sleep 0.05", hanging)
    (folder / "spec.toml").write_text(long)
    process = start(folder, "spec.toml")
    deadline = time.monotonic() + PATIENCE
    while len([*folder.glob("hangs-*")]) < JOBS:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    with closing(Run(load_spec(folder / "spec.toml", {"db": f"sqlite:///{folder}/thresher.db"}))) as another:
        assert (another.taken_back, another.campaign and another.campaign.outstanding) == (0, JOBS)
    process.kill()
    process.communicate()
    (folder / "go").touch()
    _, err = start(folder, "spec.toml").communicate(timeout=240)  # the lease is ten hours
    assert f"Note: a run was killed during {JOBS} measurements; the arms are measured again." in err
    assert told(folder) == BUDGET


@contextmanager
def opened(folder: Path) -> Iterator[Campaign]:
    """Open the campaign of the spec for a while."""
    campaign = Campaign.open(f"sqlite:///{folder}/thresher.db", "spec")
    try:
        yield campaign
    finally:
        campaign.disconnect()


@pytest.mark.by_day("15")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_end_gives_the_budget_back_at_once(folder: Path, number: int) -> None:
    process = start(folder, "spec.toml")
    wait_until_told(folder, 3, process)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Stopped; this run has stored " in err
    assert "Run the same command again to resume." in err
    assert "Traceback" not in err
    campaign = Campaign.open(f"sqlite:///{folder}/thresher.db", "spec")
    assert (campaign.outstanding, campaign.standing.told) == (0, campaign.spent)
    campaign.disconnect()
