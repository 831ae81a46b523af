"""Attempts without an outcome are repeated, counted and never told; a rate is kept."""

import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from thresher.campaign.ledger import Terms
from thresher.errors import InvalidInputError
from thresher.run.attempts import Attempts
from thresher.run.measurement import Measured, MeasurementError


class Script:
    """A measurement that does what a list says: a number, or an error."""

    def __init__(self, *acts: float | MeasurementError) -> None:
        self.acts = list(acts)
        self.times: list[float] = []
        self.stopped = False

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        self.times.append(time.monotonic())
        act = self.acts.pop(0)
        if isinstance(act, MeasurementError):
            raise act
        return Measured(act, 0.0)

    def stop(self) -> None:
        self.stopped = True


def test_the_first_outcome_that_comes_is_the_outcome() -> None:
    script = Script(MeasurementError("x"), MeasurementError("y"), 5.0, 6.0)
    assert Attempts(script, retries=2).measure("a", {}).value == 5.0
    assert script.acts == [6.0]


def test_the_last_reason_is_the_reason() -> None:
    script = Script(*(MeasurementError(str(i)) for i in range(9)))
    with pytest.raises(MeasurementError, match=r"^1$"):
        Attempts(script, retries=1).measure("a", {})
    assert len(script.times) == 2


def test_what_cannot_get_better_is_not_tried_again() -> None:
    script = Script(MeasurementError("was not found", is_retryable=False), 1.0)
    with pytest.raises(MeasurementError, match="was not found"):
        Attempts(script, retries=5).measure("a", {})
    assert len(script.times) == 1


def test_an_outcome_that_cannot_be_is_tried_again() -> None:
    terms = Terms(family="bernoulli")
    assert Attempts(Script(2.0, 1.0), retries=1, terms=terms).measure("a", {}).value == 1.0
    with pytest.raises(MeasurementError, match="returned an invalid outcome: "):
        Attempts(Script(2.0), retries=0, terms=terms).measure("a", {})


def test_a_rate_is_kept_by_all_threads_together() -> None:
    script = Script(*([1.0] * 12))
    attempts = Attempts(script, retries=0, rate="5/second")
    threads = [threading.Thread(target=lambda: [attempts.measure("a", {}) for _ in range(3)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(script.times) == 12
    assert max(script.times) - min(script.times) > 1.5  # two windows of a second, less what a slow start may take


def test_stop_ends_the_wait_for_a_turn() -> None:
    script = Script(1.0, 2.0)
    attempts = Attempts(script, retries=3, rate="1/hour")
    attempts.measure("a", {})
    threading.Timer(0.2, attempts.stop).start()
    with pytest.raises(MeasurementError, match="was stopped"):
        attempts.measure("a", {})  # its turn would come in an hour
    assert script.stopped
    assert len(script.times) == 1


def test_a_rate_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="30/minute"):
        Attempts(Script(), retries=0, rate="often")
