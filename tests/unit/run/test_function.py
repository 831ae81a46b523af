"""A function gives one outcome, or says why it gave none; whatever it does, it does in a process of its own."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from thresher.errors import InvalidInputError
from thresher.run.function import FunctionMeasurement
from thresher.run.measurement import MeasurementError
from thresher.run.reading import Reading

MODULE = """
import asyncio, os, sys, time
import numpy as np
calls = 0

class Box:
    @staticmethod
    def inside(arm):
        return len(arm)

number = 3

def secrets():
    return sum("secret" in value for value in os.environ.values())

secrets_at_import = secrets()

def measure(arm, size=1):
    global calls
    calls += 1
    print("this is not the answer")
    if arm == "count": return calls
    if arm == "process": return os.getpid()
    if arm == "numpy": return np.float64(0.5)
    if arm == "true": return True
    if arm == "text": return "0.5"
    if arm == "raise": raise ValueError("no luck")
    if arm == "crash": os.kill(os.getpid(), 9)
    if arm == "exit": os._exit(3)
    if arm == "hang": time.sleep(60)
    if arm == "slow": time.sleep(0.2)
    if arm == "secrets": return secrets_at_import + secrets()
    return size

def twice(arm, item, repeat):
    return 10 * repeat + len(item)

def priced(arm):
    if arm == "one": return 1
    return True, "dear" if arm == "text" else np.float64(0.25)

loops = set()

async def awaits(arm):
    loops.add(asyncio.get_running_loop())
    await asyncio.sleep(0)
    if arm == "loops": return len(loops)
    if arm == "raise": raise ValueError("no luck")
    if arm == "hang": await asyncio.sleep(60)
    return 0.5

def returns_an_awaitable(arm):
    return awaits(arm)
"""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., FunctionMeasurement]]:
    """Return a maker of measurements by a function of the module above; they are stopped at the end."""
    (tmp_path / "measures_it.py").write_text(MODULE)
    found: list[FunctionMeasurement] = []

    def make(function: str = "measures_it:measure", **more: Any) -> FunctionMeasurement:
        found.append(FunctionMeasurement(function, folder=tmp_path, **more))
        return found[-1]

    yield make
    for each in found:
        each.stop()


Make = Callable[..., FunctionMeasurement]


def test_one_process_answers_call_after_call(made: Make, capfd: pytest.CaptureFixture[str]) -> None:
    measurement = made()
    assert measurement.measure("x", {"size": 7}).value == 7.0
    assert [measurement.measure(arm, {}).value for arm in ("numpy", "true", "count")] == [0.5, 1.0, 4.0]
    assert capfd.readouterr().out == ""  # what it prints is not our answer


def test_a_function_gets_the_repeat_of_an_item_if_it_takes_it(made: Make) -> None:
    assert made("measures_it:twice").measure("x", {}, "q1", 3).value == 32.0
    assert made().measure("x", {"size": 7}, None, 3).value == 7.0


@pytest.mark.parametrize("name", ["awaits", "returns_an_awaitable"])
def test_an_async_function_is_awaited_in_one_event_loop(made: Make, name: str) -> None:
    measurement = made(f"measures_it:{name}", timeout=2.0)
    assert [measurement.measure(arm, {}).value for arm in ("x", "y", "loops")] == [0.5, 0.5, 1.0]
    with pytest.raises(MeasurementError, match="raised ValueError: no luck"):
        measurement.measure("raise", {})
    with pytest.raises(MeasurementError, match="longer than 2 s"):
        measurement.measure("hang", {})
    assert measurement.measure("x", {}).value == 0.5


def test_a_function_returns_an_outcome_and_its_cost(made: Make) -> None:
    priced = made("measures_it:priced", cost=Reading("returned", what="cost"))
    measured = priced.measure("numpy", {})
    assert (measured.value, measured.cost) == (1.0, 0.25)
    with pytest.raises(MeasurementError, match="returned '1', which is not a pair of an outcome and a cost"):
        priced.measure("one", {})
    with pytest.raises(MeasurementError, match="returned 'dear' of type str, which is not a number"):
        priced.measure("text", {})
    timed = made(cost=Reading("duration", what="cost")).measure("slow", {})
    assert timed.cost == timed.seconds


def test_the_duration_is_an_outcome(made: Make) -> None:
    measured = made(duration=True).measure("slow", {})
    assert 0.2 <= measured.value == measured.seconds


def test_what_goes_wrong_is_said_and_does_not_hurt_the_next_call(made: Make) -> None:
    measurement = made()
    for arm, says in (
        ("raise", "raised ValueError: no luck"),
        ("text", "returned '0.5' of type str"),
        ("crash", "killed by signal 9"),
        ("exit", "exit code 3"),
    ):
        with pytest.raises(MeasurementError, match=says) as caught:
            measurement.measure(arm, {})
        assert caught.value.is_retryable
        assert measurement.measure("x", {}).value == 1.0


def test_a_call_that_hangs_is_killed(made: Make) -> None:
    measurement = made(timeout=2.0)  # the next call has to be answered within it, on a busy machine too
    with pytest.raises(MeasurementError, match="longer than 2 s"):
        measurement.measure("hang", {})
    assert measurement.measure("x", {}).value == 1.0
    assert made(timeout=0.3, timeout_outcome=0.0).measure("hang", {}).value == 0.0


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("no_such_module_here:f", "ModuleNotFoundError"),
        ("measures_it:nothing", "AttributeError"),
        ("measures_it:number", "is a int, not a function"),
    ],
)
def test_a_function_that_is_not_there_is_said_so(made: Make, function: str, says: str) -> None:
    with pytest.raises(MeasurementError, match=says) as caught:
        made(function).measure("x", {})
    assert not caught.value.is_retryable


def test_calls_at_the_same_time_have_a_process_each_and_stop_ends_them(made: Make) -> None:
    measurement = made("measures_it:measure")
    said: list[str] = []

    def work() -> None:
        try:
            measurement.measure("hang", {})
        except MeasurementError as error:
            said.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    while len(measurement._running) < 2:
        time.sleep(0.01)
    measurement.stop()
    for thread in threads:
        thread.join(10)
    assert len(said) == 2
    with pytest.raises(MeasurementError, match="was stopped"):
        measurement.measure("x", {})


def test_a_function_does_not_inherit_the_credentials(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_TOKEN", "secret")
    monkeypatch.setenv("THRESHER_DB", "secret")
    assert made().measure("secrets", {}).value == 0.0


def test_a_function_inside_a_class_is_found(made: Make) -> None:
    assert made("measures_it:Box.inside").measure("four", {}).value == 4.0


@pytest.mark.parametrize("name", ["measure", "module:", ":f", ""])
def test_a_name_without_its_two_parts_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="module:function"):
        FunctionMeasurement(name)
