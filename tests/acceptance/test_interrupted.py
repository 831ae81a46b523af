"""The command as a process: Ctrl-C keeps what is done, a closed pipe ends it quietly."""

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from thresher.cli.main import main

pytestmark = pytest.mark.xdist_group("interrupted")  # one worker simulates without interruption, for all of them

THRESHER = str(Path(sys.executable).parent / "thresher")
# Some seconds of work in two dozen pieces.
WORK = (
    "linear",
    "--policy",
    "lsa",
    "--policy",
    "stopping",
    "--budget",
    "3000",
    "--runs",
    "20000",
    "--seed",
    "5",
    "--json",
)


def start(*words: str) -> subprocess.Popen[str]:
    """Start the command in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [THRESHER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def finish(*words: str) -> Any:
    """Return what a command answers."""
    done = start(*words)
    out, err = done.communicate(timeout=300)
    assert done.returncode == 0, err
    return json.loads(out)


def pieces_in(path: Path) -> int:
    """Return how many pieces of work a file of results holds."""
    if not path.is_file():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        try:
            return int(db.execute("SELECT count(*) FROM piece").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet
            return 0


def wait_for_pieces(path: Path, running: subprocess.Popen[str]) -> None:
    """Wait until some of the work is done."""
    while pieces_in(path) < 2:
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)


@pytest.fixture(scope="module")
def uninterrupted() -> Any:
    """Return the rows of an uninterrupted run, in this process."""
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as left:
        main(["simulate", *WORK])
    assert left.value.code == 0
    return json.loads(out.getvalue())["results"]


@pytest.mark.nightly("processes")
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_after_ctrl_c_the_same_command_goes_on_to_the_same_numbers(
    uninterrupted: Any, executor: str, tmp_path: Path
) -> None:
    out = tmp_path / "results.db"
    words = ("simulate", *WORK, "--out", str(out), "--executor", executor, "--workers", "1")
    running = start(*words)
    wait_for_pieces(out, running)
    os.killpg(running.pid, signal.SIGINT)
    answer, remarks = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "Traceback" not in remarks
    assert f"Finished runs are in {out}: run the same command again to resume." in remarks
    done = pieces_in(out)
    assert done >= 2
    shown = json.loads(answer)
    assert 0 < shown["runs"] < 20_000

    assert finish(*words)["results"] == uninterrupted
    assert pieces_in(out) > done


@pytest.mark.nightly
@pytest.mark.usefixtures("uninterrupted")
def test_ctrl_c_twice_ends_worker_processes_too(tmp_path: Path) -> None:
    running = start("simulate", *WORK, "--out", str(tmp_path / "results.db"), "--executor", "processes")
    wait_for_pieces(tmp_path / "results.db", running)
    for _ in range(2):
        os.killpg(running.pid, signal.SIGINT)
        time.sleep(0.1)
    _, remarks = running.communicate(timeout=120)
    assert running.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in remarks


@pytest.mark.nightly
@pytest.mark.usefixtures("uninterrupted")  # by which the kernels are compiled
def test_ctrl_c_while_worker_processes_start_is_not_theirs() -> None:
    running = start("simulate", *WORK, "--executor", "processes", "--workers", "2")
    while not workers_of(running.pid):
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    _, remarks = running.communicate(timeout=120)
    assert running.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in remarks


def workers_of(pid: int) -> list[str]:
    """Return the worker processes that a process has started."""
    children = [child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.nightly
def test_a_killed_run_goes_on_to_the_same_numbers(uninterrupted: Any, tmp_path: Path) -> None:
    out = tmp_path / "results.db"
    words = ("simulate", *WORK, "--out", str(out), "--workers", "1")
    running = start(*words)
    wait_for_pieces(out, running)
    running.kill()
    running.communicate()
    done = pieces_in(out)
    assert finish(*words)["results"] == uninterrupted
    assert pieces_in(out) > done >= 2


@pytest.mark.parametrize("words", [["policies", "--json"], ["--help"]], ids=" ".join)
def test_a_reader_that_has_gone_ends_the_command_quietly(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([THRESHER, *words], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_bad_input_ends_the_process_with_3_and_a_sentence() -> None:
    done = subprocess.run([THRESHER, "simulate", "linear", "--policy", "lsb"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("thresher: unknown policy 'lsb'; did you mean 'lsa'")
    again = subprocess.run([sys.executable, "-m", "thresher", "simulate", "--nope"], capture_output=True, text=True)
    assert again.returncode == 3
