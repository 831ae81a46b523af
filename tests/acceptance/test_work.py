"""``thresher work`` as a process: retries, an outage of the service, a signal, a token that opens nothing."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.support.service_place import served
from tests.support.service_process import PATIENCE, ServiceProcess, keyring_of, typed, wait_until
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage, open_storage
from thresher.service import Settings, create_app

BUDGET = 24
# Prints nothing at the first attempt of an arm, then 1 for the good one and 0 for the other.
MEASURE = "sleep 0.05; test -e seen-{arm} || { touch seen-{arm}; exit; }; test {arm} = good && echo 1 || echo 0"


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start workers for campaign ``c``; none outlives the test."""
    started: list[subprocess.Popen[str]] = []

    def start(address: str, *words: str, token: str = "") -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "thresher", "work", address, "c", *words]
        environment = os.environ | {"THRESHER_TOKEN": token}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for worker in started:
        if worker.poll() is None:
            worker.kill()
            worker.communicate()


def test_a_worker_retries_and_sits_out_a_restart_of_the_service(start: Start, tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/c.db"
    storage = open_storage(db, create=True)
    campaign = Campaign.create(storage, "c", arms=["good", "bad"], threshold=0.5, budget=BUDGET)
    token = keyring_of(storage).new_token("work", campaign="c")
    with ServiceProcess(db, tmp_path) as first:
        worker = start(first.address, "--command", MEASURE, "--outcome", "last-line", "-j", "2", token=token)
        wait_until(lambda: campaign.standing.told >= 3, "the worker measures", while_alive=worker)
        first.ask_to_stop()
        assert first.wait() == 0
    assert campaign.standing.told < BUDGET
    with ServiceProcess(db, tmp_path, "--port", str(first.port)):
        said = worker.communicate(timeout=PATIENCE)[1]
    assert worker.returncode == 0, said
    assert said.splitlines()[-1] == f"{BUDGET} outcomes told, 0 pulls returned."
    assert (campaign.standing.told, campaign.outstanding) == (BUDGET, 0)
    assert [(row.arm, row.verdict) for row in campaign.verdicts()] == [("good", "above"), ("bad", "below")]
    assert [entry.kind for entry in campaign.history()].count("told") == BUDGET
    campaign.verify()
    storage.close()


@pytest.fixture
def app() -> FastAPI:
    app = create_app(MemoryStorage(), Settings(pause=0.05))
    Campaign.create(app.state.registry.storage, "c", arms=["good", "bad"], threshold=0.5, budget=BUDGET)
    return app


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with served(app) as address:
        yield address


def test_a_worker_that_is_told_to_stop_gives_its_units_back(
    app: FastAPI, address: str, start: Start, tmp_path: Path
) -> None:
    campaign = Campaign.open(app.state.registry.storage, "c")
    token_file = tmp_path / "token"
    token_file.write_text(app.state.keyring.new_token("work", campaign="c") + "\n")
    worker = start(address, "--command", "sleep 600", "-j", "3", "--token-file", str(token_file))
    wait_until(lambda: campaign.outstanding == 3, "the worker measures", while_alive=worker)
    worker.terminate()
    said = worker.communicate(timeout=PATIENCE)[1]
    assert worker.returncode == 130, said
    assert "0 outcomes told" in said
    assert (campaign.outstanding, campaign.spent) == (0, 0)


def test_an_address_without_a_server_is_a_one_line_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, said = typed(capsys, "list", "--db", "http://127.0.0.1:9")
    assert (code, out) == (3, "")
    [line] = said.splitlines()
    assert line.startswith("thresher: no response from http://127.0.0.1:9: ")
    assert line.endswith("; check the address, and start the service")


def test_a_worker_that_may_not_says_so_and_measures_nothing(
    app: FastAPI,
    address: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = app.state.keyring.new_token("work", campaign="d")
    monkeypatch.setenv("THRESHER_TOKEN", token)
    code, _, said = typed(capsys, "work", address, "c", "--command", f"touch {tmp_path}/measured")
    assert code == 3
    assert "has the scope 'work' in one campaign" in said
    assert token not in said
    assert not (tmp_path / "measured").exists()
