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
from typing import Any

from thresher.errors import InvalidInputError
from thresher.runner.environment import drop_credentials
from thresher.runner.measurement import LimitedMeasurement, Measured, MeasurementError

START = 120.0  # seconds for a process to start and import the module


@dataclass(eq=False)
class FunctionMeasurement(LimitedMeasurement):
    """Measures an arm by calling ``function(arm, **parameters)``, which returns a number, or True or False.

    In a campaign with items it calls ``function(arm, item, **parameters)``. If its cost is ``returned``, it returns a
    pair: the outcome and the cost.

    Concurrent calls run in separate processes, which are kept for later calls. An async function is awaited; each
    process has one event loop for all of its calls, so that clients and connections of a module can be reused.

    Parameters
    ----------
    function : str
        ``module:function``; the module is searched for in `folder` first.
    duration : bool
        The outcome is the duration of the call, not its return value.
    timeout, timeout_outcome, cost : optional
        As in :class:`~thresher.runner.measurement.LimitedMeasurement`.
    folder : Path, optional
        Where the module is; the current directory unless given.

    Raises
    ------
    InvalidInputError
        If the name is not of the form ``module:function``.
    """

    function: str
    _: KW_ONLY
    duration: bool = False
    folder: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(self.function.partition(":")):
            rule = "must be written module:function, as in grade:measure"
            raise InvalidInputError("function", self.function, rule=rule)
        self._folder = str((self.folder or Path.cwd()).resolve())
        self._returns_cost = self.cost is not None and self.cost.kind == "returned"
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def __str__(self) -> str:
        return self.function

    def measure(self, arm: str, parameters: Mapping[str, Any], item: str | None = None) -> Measured:
        """Return the outcome of one call.

        Raises
        ------
        MeasurementError
            If the function is not found, raises, takes too long, crashes, or does not return a number.
        """
        worker = self._take()
        try:
            answer = worker.call((arm,) if item is None else (arm, item), dict(parameters), self.timeout)
        except TimeoutError:
            worker.kill()
            assert self.timeout is not None
            return self._timed_out(self.timeout)
        finally:
            self._release(worker)
        kind, value, seconds = answer
        if kind != "value":
            raise MeasurementError(value, is_retryable=kind == "raised")
        outcome, cost = value
        is_time = self.cost is not None and not self._returns_cost
        return Measured(seconds if self.duration else outcome, seconds, cost=seconds if is_time else cost)

    def _take(self) -> _Worker:
        with self._lock:
            self._raise_if_stopped()
            if self._idle:
                worker = self._idle.pop()
            else:
                worker = _Worker(self.function, self._folder, not self.duration, self._returns_cost)
            self._busy.add(worker)
            return worker

    def _release(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if worker.is_alive and not self._stopped:
                self._idle.append(worker)
            else:
                worker.kill()

    def stop(self) -> None:
        """Kill the processes."""
        with self._lock:
            self._stopped = True
            for worker in [*self._idle, *self._busy]:
                worker.kill()
            self._idle.clear()


class _Worker:
    """One process that calls the function, and the pipe to it."""

    def __init__(self, function: str, folder: str, has_outcome: bool, has_cost: bool) -> None:
        # Spawned: a fork of a process with threads may inherit a lock that is never released.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=serve, args=(theirs, function, folder, has_outcome, has_cost), daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def call(self, names: tuple[str, ...], parameters: dict[str, Any], timeout: float | None) -> tuple[str, Any, float]:
        """Return the answer of the process: ``value``, ``raised`` or ``missing``, with details and seconds."""
        try:
            if not self._pipe.poll(START):  # imports are not part of a measurement
                self.kill()
                return "missing", f"could not be imported within {START:g} s", 0.0
            self._pipe.recv()
            self._pipe.send((names, parameters))
            if not self._pipe.poll(timeout):
                raise TimeoutError
            answer: tuple[str, Any, float] = self._pipe.recv()
            return answer
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            self._process.join(5.0)
            code = self._process.exitcode
            return (
                "raised",
                f"was killed by signal {-code}" if code and code < 0 else f"ended with exit code {code}",
                0.0,
            )

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
    try:
        call, fault = _load(function), ""
    except Exception as error:
        call, fault = None, f"cannot be loaded: {type(error).__name__}: {error}"
    with suppress(EOFError, OSError), asyncio.Runner() as runner:
        while True:
            pipe.send(True)
            names, parameters = pipe.recv()
            if call is None:
                pipe.send(("missing", fault, 0.0))
                continue
            kind, value, seconds = _call(call, names, parameters, runner)
            if kind == "value":
                kind, value = _numbers(value, has_outcome=has_outcome, has_cost=has_cost)
            pipe.send((kind, value, seconds))


def _load(function: str) -> Any:
    module, _, name = function.partition(":")
    call = importlib.import_module(module)
    for part in name.split("."):
        call = getattr(call, part)
    if not callable(call):
        raise TypeError(f"{name} is a {type(call).__name__}, not a function")
    return call


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def _call(
    call: Any, names: tuple[str, ...], parameters: dict[str, Any], runner: asyncio.Runner
) -> tuple[str, Any, float]:
    started = time.perf_counter()
    try:
        value = call(*names, **parameters)
        if inspect.isawaitable(value):
            value = runner.run(_awaited(value))
    except Exception as error:
        return "raised", f"raised {type(error).__name__}: {error}", time.perf_counter() - started
    return "value", value, time.perf_counter() - started


def _numbers(value: Any, *, has_outcome: bool, has_cost: bool) -> tuple[str, Any]:
    """Return ``value`` with the outcome (0 if there is none) and the cost (None if there is none), or ``raised``."""
    if has_cost and not (isinstance(value, tuple) and len(value) == 2):
        return "raised", f"returned {str(value)[:60]!r}, which is not a pair of an outcome and a cost"
    given = list(value) if has_cost else [value]
    if not has_outcome:
        given[0] = 0.0
    numbers = [_number(each) for each in given]
    if None in numbers:
        wrong = given[numbers.index(None)]
        return "raised", f"returned {str(wrong)[:60]!r} of type {type(wrong).__name__}, which is not a number"
    return "value", (*numbers, None)[:2]


def _number(value: Any) -> float | None:
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    return float(value) if isinstance(value, Real) else None
