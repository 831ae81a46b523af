"""The loop that `Run` and `Worker` share: outages and leases. What each of them adds is in their own tests."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.errors import StorageUnavailableError
from thresher.run.attempts import Attempts
from thresher.run.loop import WorkerLoop
from thresher.run.measurement import Measured, MeasurementError


class Loop(WorkerLoop):
    """Measures by a function of the arm and its parameters."""

    def __init__(self, campaign: Campaign, measure: Callable[[str, Mapping[str, Any]], float], **given: Any) -> None:
        super().__init__(campaign, Attempts(self, retries=0), jobs=1, **{"patience": 3} | given)
        self._function = measure

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        return Measured(self._function(arm, parameters), 0.0)

    def stop(self) -> None:
        pass

    def on_pause(self) -> bool:
        return False

    def on_failure(self, arm: str, error: MeasurementError) -> None:
        raise error


def make(**terms: Any) -> Campaign:
    return Campaign.create(MemoryStorage(), "c", arms=["a", "b"], threshold=0.5, budget=4, **terms)


def unavailable(calls: list[object]) -> Callable[..., Any]:
    def call(*words: object, **_: object) -> Any:
        calls.append(words)
        raise StorageUnavailableError("gone", instead="wait")

    return call


def test_an_arm_is_measured_with_its_own_parameters() -> None:
    campaign = make()
    loop = Loop(campaign, lambda _, given: given["x"], parameters={"a": {"x": 0.0}, "b": {"x": 1.0}})
    loop.work()
    assert loop.measured == campaign.spent == 4
    assert {row.arm: row.mean for row in campaign.verdicts()} == {"a": 0.0, "b": 1.0}


def test_a_call_is_tried_as_often_as_the_patience_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign, calls = make(), list[object]()
    said = list[str]()
    monkeypatch.setattr(campaign._backend, "ask", unavailable(calls))
    with pytest.raises(StorageUnavailableError):
        Loop(campaign, lambda _, __: 1.0, say=said.append).work()
    assert len(calls) == 3
    assert all(sentence.startswith("unavailable, trying again: gone") for sentence in said)


def test_a_heartbeat_that_fails_does_not_end_a_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.run.loop.HEARTBEATS_PER_LEASE", 1e6)
    campaign, calls = make(), list[object]()
    said = list[str]()
    monkeypatch.setattr(campaign._backend, "heartbeat", unavailable(calls))

    def measure(_: str, __: Mapping[str, Any]) -> float:
        while len(calls) < 2:
            time.sleep(0.01)
        return 1.0

    Loop(campaign, measure, say=said.append).work()
    assert campaign.spent == 4
    assert said[0].startswith("no heartbeat: gone")


def test_a_measurement_without_an_outcome_gives_its_unit_back_before_anything_follows() -> None:
    campaign = make()

    def measure(_: str, __: Mapping[str, Any]) -> float:
        raise MeasurementError("printed nothing")

    with pytest.raises(MeasurementError):
        Loop(campaign, measure).work()
    assert (campaign.outstanding, campaign.spent) == (0, 0)
    assert [entry.details["reason"] for entry in campaign.history() if entry.kind == "failed"] == ["printed nothing"]
