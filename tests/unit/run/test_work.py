"""A worker: outcomes told, failures given back, leases renewed, outages sat out."""

import itertools
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import stamina

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.errors import InvalidOutcomeError, StorageUnavailableError
from thresher.run import CommandMeasurement, Reading
from thresher.run.loop import FailingCommandError
from thresher.run.measurement import Measured, MeasurementError
from thresher.run.work import Worker


class Coin:
    """A measurement that a test writes."""

    def __init__(self, toss: Callable[[str], float]) -> None:
        self._toss = toss
        self.stopped = threading.Event()

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        return Measured(self._toss(arm), 0.0)

    def stop(self) -> None:
        self.stopped.set()


def make(**given: Any) -> Campaign:
    usual: dict[str, Any] = {"arms": ["a", "b"], "threshold": 0.5, "budget": 12}
    return Campaign.create(MemoryStorage(), "c", **(usual | given))


def counts(worker: Worker) -> tuple[int, int]:
    """Let a worker work; return how many outcomes it told, and how many pulls it gave up."""
    worker.work()
    return worker.measured, worker.failed


def test_a_worker_measures_until_nothing_more_is_needed() -> None:
    campaign = make()
    assert counts(Worker(campaign, Coin(lambda arm: arm == "a"), jobs=3)) == (12, 0)
    assert [(row.arm, row.verdict) for row in campaign.verdicts()] == [("a", "above"), ("b", "below")]


def test_a_pull_without_an_outcome_goes_back_and_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.run.work.SHORTEST_REST", 0.01)
    left = [1, 1, 1]
    said: list[str] = []

    def toss(_: str) -> float:
        if left:
            left.pop()
            raise MeasurementError("printed nothing")
        return 1.0

    campaign = make()
    assert counts(Worker(campaign, Coin(toss), retries=0, say=said.append)) == (12, 3)
    assert [entry.details["reason"] for entry in campaign.history() if entry.kind == "failed"] == [
        "printed nothing"
    ] * 3
    assert len(said) == 3


def test_a_measurement_that_cannot_work_ends_the_worker_and_keeps_no_unit() -> None:
    campaign = make()

    def toss(_: str) -> float:
        raise MeasurementError("was not found", is_retryable=False)

    with pytest.raises(InvalidOutcomeError, match="was not found"):
        Worker(campaign, Coin(toss)).work()
    assert campaign.outstanding == 0


def test_an_arm_that_would_be_an_option_of_the_command_ends_the_worker_without_an_outcome(tmp_path: Path) -> None:
    campaign = make(arms=["-copen('ran', 'w')"])
    measurement = CommandMeasurement("python3 {arm}", Reading("exit"), folder=tmp_path)
    with pytest.raises(InvalidOutcomeError, match=r"was not run: arm is .*; must not begin with"):
        Worker(campaign, measurement).work()
    assert (campaign.standing.told, campaign.outstanding) == (0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_measurement_that_never_has_an_outcome_ends_the_worker(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr("thresher.run.work.SHORTEST_REST", 0.001)
    monkeypatch.setattr("thresher.run.work.LONGEST_REST", 0.001)
    campaign = make()
    worker = Worker(campaign, Coin(lambda _: math.nan), retries=0, jobs=jobs)
    with pytest.raises(InvalidOutcomeError, match=f"{10 * jobs} pulls in a row had no outcome; the last one returned"):
        worker.work()
    assert 10 * jobs <= worker.failed < 11 * jobs
    assert (campaign.outstanding, campaign.spent) == (0, 0)


def test_failures_with_outcomes_in_between_do_not_end_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.run.work.SHORTEST_REST", 0.001)
    monkeypatch.setattr("thresher.run.work.LONGEST_REST", 0.001)
    tosses = itertools.count(1)
    worker = Worker(make(), Coin(lambda _: 1.0 if next(tosses) % 10 == 0 else math.nan), retries=0)
    assert counts(worker) == (12, 9 * 12)


def test_an_outcome_that_cannot_be_is_not_told() -> None:
    campaign = make(budget=2)
    values = iter([7.0, 1.0, 1.0])
    assert counts(Worker(campaign, Coin(lambda _: next(values)), retries=1)) == (2, 0)


def test_a_lease_is_renewed_while_a_measurement_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.run.loop.HEARTBEATS_PER_LEASE", 200.0)
    campaign = make(arms=["a"], budget=1, lease=60.0)

    def toss(_: str) -> float:
        while [entry.kind for entry in campaign.history()].count("renewed") < 2:
            time.sleep(0.05)
        return 1.0

    Worker(campaign, Coin(toss)).work()
    assert [entry.kind for entry in campaign.history()].count("asked") == 1
    assert campaign.standing.late == 0


def test_an_outage_is_sat_out(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make()
    backend = campaign._backend
    said: list[str] = []
    for name in ("ask", "tell", "standing"):
        monkeypatch.setattr(backend, name, stumbling(getattr(backend, name)))
    with stamina.set_testing(True, attempts=10):
        assert counts(Worker(campaign, Coin(lambda _: 1.0), say=said.append)) == (12, 0)
    assert campaign.spent == 12
    assert any("unavailable" in sentence for sentence in said)


def stumbling(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is unavailable every third time."""
    calls = 0

    def stumble(*words: Any, **given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 3 == 1:
            raise StorageUnavailableError("gone", instead="wait")
        return call(*words, **given)

    return stumble


def test_a_worker_that_is_stopped_gives_its_units_back(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make()
    started = threading.Event()

    def toss(_: str) -> float:
        started.set()
        assert coin.stopped.wait(30)
        raise MeasurementError("was stopped", is_retryable=False)

    coin = Coin(toss)
    worker = Worker(campaign, coin, jobs=2)

    def interrupt(*_: object) -> None:
        assert started.wait(30)
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "_renew", interrupt)
    with pytest.raises(KeyboardInterrupt):
        worker.work()
    assert (campaign.outstanding, campaign.spent) == (0, 0)


def test_a_worker_that_is_stopped_while_it_starts_gives_its_units_back(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make()
    started = threading.Event()

    def toss(_: str) -> float:
        started.set()
        assert coin.stopped.wait(30)
        raise MeasurementError("was stopped", is_retryable=False)

    coin = Coin(toss)
    submit = ThreadPoolExecutor.submit
    submitted: list[object] = []

    def interrupted(pool: ThreadPoolExecutor, work: Callable[[], None]) -> Any:
        if submitted:
            assert started.wait(30)
            raise KeyboardInterrupt
        submitted.append(work)
        return submit(pool, work)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Worker(campaign, coin, jobs=2).work()
    assert (campaign.outstanding, campaign.spent) == (0, 0)


def test_a_worker_of_a_paused_campaign_says_once_that_it_waits_and_goes_on() -> None:
    campaign, said = make(), list[str]()
    campaign.pause()

    def resume(sentence: str) -> None:
        said.append(sentence)
        campaign.resume()

    assert counts(Worker(campaign, Coin(lambda _: 1.0), say=resume)) == (12, 0)
    assert said == ["the campaign is paused: waiting until it is resumed"]


def test_a_command_that_fails_on_every_arm_at_first_ends_the_worker(tmp_path: Path) -> None:
    campaign = make(budget=30)

    def measurement() -> CommandMeasurement:
        return CommandMeasurement("echo no such model >&2; exit 1", Reading("exit"), folder=tmp_path)

    with pytest.raises(FailingCommandError, match=r"first 8 measurements all failed: .*exit code 1: 'no such model'"):
        Worker(campaign, measurement()).work()
    assert (campaign.spent, campaign.outstanding) == (8, 0)
    assert counts(Worker(campaign, measurement(), may_fail=True)) == (22, 0)
