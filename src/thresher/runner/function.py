"""A measurement by a Python function in a separate process, which can be killed and may crash."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from numbers import Real
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError
from thresher.runner.environment import drop_credentials
from thresher.runner.measurement import LimitedMeasurement, Measured, MeasurementError

START = 120.0  # seconds for a process to start and import the module


class FunctionMeasurement(LimitedMeasurement):
    """Measures an arm by calling ``function(arm, **parameters)``, which returns a number, or True or False.

    Concurrent calls run in separate processes, which are kept for later calls.

    Parameters
    ----------
    function : str
        ``module:function``; the module is searched for in `folder` first.
    duration : bool
        The outcome is the duration of the call, not its return value.
    timeout, timeout_outcome : float, optional
        As in :class:`~thresher.runner.measurement.LimitedMeasurement`.
    folder : Path, optional
        Where the module is; the current directory unless given.

    Raises
    ------
    InvalidInputError
        If the name is not of the form ``module:function``.
    """

    def __init__(
        self,
        function: str,
        *,
        duration: bool = False,
        timeout: float | None = None,
        timeout_outcome: float | None = None,
        folder: Path | None = None,
    ) -> None:
        module, colon, name = function.partition(":")
        if not (module and colon and name):
            raise InvalidInputError("function", function, rule="must be written module:function, as in grade:measure")
        super().__init__(function, timeout, timeout_outcome)
        self._folder, self._duration = str(Path.cwd() if folder is None else folder.resolve()), duration
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def measure(self, arm: str, parameters: Mapping[str, Any]) -> Measured:
        """Return the outcome of one call.

        Raises
        ------
        MeasurementError
            If the function is not found, raises, takes too long, crashes, or does not return a number.
        """
        worker = self._take()
        try:
            answer = worker.call(arm, dict(parameters), self._timeout)
        except TimeoutError:
            worker.kill()
            assert self._timeout is not None
            return self._timed_out(self._timeout)
        finally:
            self._release(worker)
        kind, value, seconds = answer
        if kind != "value":
            raise MeasurementError(value, is_retryable=kind == "raised")
        return Measured(seconds if self._duration else value, seconds)

    def _take(self) -> _Worker:
        with self._lock:
            self._raise_if_stopped()
            worker = self._idle.pop() if self._idle else _Worker(self._text, self._folder, self._duration)
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

    def __init__(self, function: str, folder: str, duration: bool) -> None:
        # Spawned: a fork of a process with threads may inherit a lock that is never released.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=serve, args=(theirs, function, folder, duration), daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def call(self, arm: str, parameters: dict[str, Any], timeout: float | None) -> tuple[str, Any, float]:
        """Return the answer of the process: ``value``, ``raised`` or ``missing``, with details and seconds."""
        try:
            if not self._pipe.poll(START):  # imports are not part of a measurement
                self.kill()
                return "missing", f"could not be imported within {START:g} s", 0.0
            self._pipe.recv()
            self._pipe.send((arm, parameters))
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


def serve(pipe: Connection, function: str, folder: str, duration: bool) -> None:
    """Call the function for each request from the pipe, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    drop_credentials()  # before the user's module is imported
    os.dup2(2, 1)  # prints of the function must not mix with the output of the command
    sys.path.insert(0, folder)
    try:
        call, fault = _load(function), ""
    except Exception as error:
        call, fault = None, f"cannot be loaded: {type(error).__name__}: {error}"
    try:
        while True:
            pipe.send(True)
            arm, parameters = pipe.recv()
            pipe.send(("missing", fault, 0.0) if call is None else _answer(call, arm, parameters, duration))
    except (EOFError, OSError):
        return


def _load(function: str) -> Any:
    module, _, name = function.partition(":")
    call = importlib.import_module(module)
    for part in name.split("."):
        call = getattr(call, part)
    if not callable(call):
        raise TypeError(f"{name} is a {type(call).__name__}, not a function")
    return call


def _answer(call: Any, arm: str, parameters: dict[str, Any], duration: bool) -> tuple[str, Any, float]:
    started = time.perf_counter()
    try:
        value = call(arm, **parameters)
    except Exception as error:
        return "raised", f"raised {type(error).__name__}: {error}", time.perf_counter() - started
    seconds = time.perf_counter() - started
    if duration:
        return "value", 0.0, seconds
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if not isinstance(value, Real):
        return "raised", f"returned {str(value)[:60]!r} of type {type(value).__name__}, which is not a number", seconds
    return "value", float(value), seconds
