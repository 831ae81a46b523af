"""A measurement by a Python function in a separate process, which can be killed and may crash."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

from thresher.number_text import exact
from thresher.run.environment import drop_credentials
from thresher.run.installed import function_of
from thresher.run.measurement import LimitedMeasurement, Measured, MeasurementError

Answer: TypeAlias = tuple[float, float | None, float]  # outcome, cost and seconds
START = 120.0  # seconds for a process to start and import the module


@dataclass(eq=False)
class FunctionMeasurement(LimitedMeasurement):
    """Measures an arm by calling ``function(arm, **parameters)``, which returns a number, or True or False.

    In a campaign with items it calls ``function(arm, item, **parameters)``; a function with a parameter `repeat` gets
    the ordinal of the measurement where items are asked several times. If its cost is ``returned``, it returns a
    pair: the outcome and the cost.

    Concurrent calls run in separate processes, which are kept for later calls. An async function is awaited; each
    process has one event loop for all of its calls, so that clients and connections of a module can be reused.

    Parameters
    ----------
    function : str
        ``module:function``, searched for in `folder` first; or the name of an installed measurement.
    duration : bool
        The outcome is the duration of the call, not its return value.
    timeout, timeout_outcome, cost : optional
        As in :class:`~thresher.run.measurement.LimitedMeasurement`.
    folder : Path, optional
        Where the module is; the current directory unless given.

    Raises
    ------
    InvalidInputError
        If it is neither.
    """

    function: str
    _: KW_ONLY
    duration: bool = False
    folder: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.function = function_of(self.function)
        self._returns_cost = self.cost is not None and self.cost.kind == "returned"
        folder = str((self.folder or Path.cwd()).resolve())
        self._told = (self.function, folder, not self.duration, self._returns_cost)
        self._idle: list[_Worker] = []  # those of `_running` that have no call

    def __str__(self) -> str:
        return self.function

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        """Return the outcome of one call.

        Raises
        ------
        MeasurementError
            If the function is not found, raises, takes too long, crashes, or does not return a number.
        """
        worker = self._take()
        names = (arm,) if item is None else (arm, item)
        try:
            outcome, cost, seconds = worker.call(names, dict(parameters), repeat, self.timeout)
        except TimeoutError:
            worker.kill()
            assert self.timeout is not None
            return self._timed_out(self.timeout)
        finally:
            self._release(worker)
        is_time = self.cost is not None and not self._returns_cost
        return Measured(seconds if self.duration else outcome, seconds, cost=seconds if is_time else cost)

    def _take(self) -> _Worker:
        with self._lock:
            self._raise_if_stopped()
            worker = self._idle.pop() if self._idle else _Worker(*self._told)
            self._running.add(worker)
            return worker

    def _release(self, worker: _Worker) -> None:
        with self._lock:
            if worker.is_alive and not self._stopped:
                self._idle.append(worker)
            else:
                self._running.discard(worker)
                worker.kill()

    def _end(self, running: _Worker) -> None:
        running.kill()


class _Worker:
    """One process that calls the function, and the pipe to it; `told` are the other arguments of :func:`serve`."""

    def __init__(self, *told: str | bool) -> None:
        # Spawned: a fork of a process with threads may inherit a lock that is never released.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(target=serve, args=(theirs, *told), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def call(
        self, names: tuple[str, ...], parameters: dict[str, Any], repeat: int | None, timeout: float | None
    ) -> Answer:
        """Return the answer of the process, or raise MeasurementError or TimeoutError."""
        try:
            if not self._pipe.poll(START):  # imports are not part of a measurement
                self.kill()
                raise MeasurementError(f"could not be imported within {exact(START)} s", is_retryable=False)
            self._pipe.recv()
            self._pipe.send((names, parameters, repeat))
            if not self._pipe.poll(timeout):
                raise TimeoutError
            answer: Answer | MeasurementError = self._pipe.recv()
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            self._process.join(5.0)
            code = self._process.exitcode
            end = f"was killed by signal {-code}" if code and code < 0 else f"ended with exit code {code}"
            raise MeasurementError(end) from error
        if isinstance(answer, MeasurementError):
            raise answer
        return answer

    def kill(self) -> None:
        self._process.kill()
        self._process.join(5.0)  # otherwise it would be alive for a moment, and might get the next call


def serve(pipe: Connection, function: str, folder: str, has_outcome: bool, has_cost: bool) -> None:
    """Call the function for each request from the pipe, until the other end is closed.

    It returns an outcome, a cost, both or neither.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    drop_credentials()  # before the user's module is imported
    os.dup2(2, 1)  # prints of the function must not mix with the output of the command
    sys.path.insert(0, folder)
    fault, call, takes_repeat = None, None, False
    try:
        call = _load(function)
        takes_repeat = _takes_repeat(call)
    except Exception as error:
        fault = MeasurementError(f"cannot be loaded: {type(error).__name__}: {error}", is_retryable=False)
    with suppress(EOFError, OSError), asyncio.Runner() as runner:
        while True:
            pipe.send(True)
            names, parameters, repeat = pipe.recv()
            parameters |= {"repeat": repeat} if takes_repeat and repeat is not None else {}
            if fault is not None:
                pipe.send(fault)
                continue
            try:
                value, seconds = _call(call, names, parameters, runner)
                pipe.send((*_numbers(value, has_outcome=has_outcome, has_cost=has_cost), seconds))
            except MeasurementError as error:
                pipe.send(error)


def _load(function: str) -> Any:
    module, _, name = function.partition(":")
    call = importlib.import_module(module)
    for part in name.split("."):
        call = getattr(call, part)
    if not callable(call):
        raise TypeError(f"{name} is a {type(call).__name__}, not a function")
    return call


def _takes_repeat(call: Any) -> bool:
    """Return whether a function has a parameter `repeat`; one without a readable signature has none."""
    try:
        return "repeat" in inspect.signature(call).parameters
    except (TypeError, ValueError):
        return False


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def _call(call: Any, names: tuple[str, ...], parameters: dict[str, Any], runner: asyncio.Runner) -> tuple[Any, float]:
    """Return the value and the duration of a call, or raise MeasurementError."""
    started = time.perf_counter()
    try:
        value = call(*names, **parameters)
        if inspect.isawaitable(value):
            value = runner.run(_awaited(value))
    except Exception as error:
        raise MeasurementError(f"raised {type(error).__name__}: {error}") from error
    return value, time.perf_counter() - started


def _numbers(value: Any, *, has_outcome: bool, has_cost: bool) -> tuple[float, float | None]:
    """Return the outcome (0 if there is none) and the cost (None if there is none), or raise MeasurementError."""
    if has_cost and not (isinstance(value, tuple) and len(value) == 2):
        raise MeasurementError(f"returned {str(value)[:60]!r}, which is not a pair of an outcome and a cost")
    outcome, cost = value if has_cost else (value, None)
    return _number(outcome) if has_outcome else 0.0, _number(cost) if has_cost else None


def _number(value: Any) -> float:
    number = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
    if not isinstance(number, Real):
        shown, kind = str(value)[:60], type(value).__name__
        raise MeasurementError(f"returned {shown!r} of type {kind}, which is not a number")
    return float(number)
