"""Processes that start in milliseconds, so that a test can kill hundreds of them.

Python and our packages take seconds to load. One process loads them once and forks whenever a child is wanted; it runs
no thread, so that a fork of it is as good as a fresh start.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Self, TypeAlias

PATIENCE = 120.0  # seconds that a busy machine may take for anything
LARGEST_REQUEST = 1 << 20

Report: TypeAlias = dict[str, Any]
Say: TypeAlias = Callable[..., None]


class Child:
    """A process from a nursery.

    Parameters
    ----------
    pid : int
    pipe : int
        The end of the pipe from which its reports come.
    complaints : callable
        Gives the end of what it and its siblings wrote to stderr.
    """

    def __init__(self, pid: int, pipe: int, complaints: Callable[[], str]) -> None:
        self.pid, self._complaints = pid, complaints
        self.reports: list[Report] = []
        self.has_ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, args=(os.fdopen(pipe, encoding="utf-8"),), daemon=True)
        self._reader.start()

    def _read(self, pipe: IO[str]) -> None:
        with pipe:
            for line in pipe:
                with self._changed:
                    self.reports.append(json.loads(line) if line.startswith("{") else {"line": line})
                    self._changed.notify_all()
        with self._changed:
            self.has_ended = True
            self._changed.notify_all()

    def wait_for(self, word: str, *, times: int = 1) -> Report:
        """Return the report that has a word for the given time, counted from 1.

        Raises
        ------
        ChildError
            If the process ends before that, or takes too long.
        """

        def said() -> list[Report]:
            return [report for report in self.reports if word in report]

        with self._changed:
            self._changed.wait_for(lambda: self.has_ended or len(said()) >= times, PATIENCE)
            if len(said()) >= times:
                return said()[times - 1]
        raise ChildError(f"process {self.pid} did not say {word!r}: {self.reports[-3:]} {self._complaints()}")

    def kill(self) -> list[Report]:
        """End it with SIGKILL, unless it has ended; return all that it reported."""
        if not self.has_ended:  # later its pid may be reused
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.join()
        return self.reports

    def join(self) -> list[Report]:
        """Wait until it has ended and let go of its files, locks and ports; return all that it reported."""
        self._reader.join(PATIENCE)
        end = time.monotonic() + PATIENCE
        while self._exists():
            if time.monotonic() > end:
                raise ChildError(f"process {self.pid} does not end")
            time.sleep(0.001)
        return self.reports

    def _exists(self) -> bool:
        # The pipe may close before a port does; the process goes when all is closed.
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True


class ChildError(Exception):
    """A process did not do what it was started for."""


class Nursery:
    """A process that has loaded everything and forks when a child is wanted.

    Parameters
    ----------
    environment : mapping
        Variables in addition to those of this process.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket, self._lock, self._children = ours, threading.Lock(), list[Child]()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the nursery
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                # This module is found as it was found here, wherever the tests were started.
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | dict(environment or {}),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
            )

    def start(self, target: str, *given: Any, **named: Any) -> Child:
        """Return a new process that runs ``module:function`` with `say` and these arguments, which must be JSON."""
        read, write = os.pipe()
        request = json.dumps([target, given, named]).encode()
        with self._lock:
            try:
                socket.send_fds(self._socket, [request], [write])
                answer = self._socket.recv(100)
            finally:
                os.close(write)
        if not answer:
            os.close(read)
            raise ChildError(f"the nursery is gone: {self._complaints()}")
        self._children.append(Child(int(answer), read, self._complaints))
        return self._children[-1]

    def _complaints(self) -> str:
        end = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), 2000, max(0, end - 2000)).decode(errors="replace")

    def close(self) -> None:
        """End all children and the nursery."""
        for child in self._children:
            child.kill()
        self._socket.close()
        self._process.wait(PATIENCE)
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _attend(wishes: socket.socket) -> None:
    """Fork for each request until the pipe is closed."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(wishes, LARGEST_REQUEST, 1)
        if not request:
            return
        pid = os.fork()
        if pid == 0:
            wishes.close()
            _live(request, descriptors[0])
        os.close(descriptors[0])
        wishes.send(str(pid).encode())


def _live(request: bytes, descriptor: int) -> None:
    """Be a child; this does not return."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(descriptor, 1)
        os.close(descriptor)
        name, given, named = json.loads(request)
        module, _, function = name.partition(":")
        getattr(importlib.import_module(module), function)(_say, *given, **named)
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # nothing of the nursery is to be cleaned up by a child


def _say(**report: Any) -> None:
    """Report to the parent process, in one write: a killed process leaves no half lines behind others."""
    os.write(1, json.dumps(report).encode() + b"\n")


def _main(words: Sequence[str]) -> None:
    from tests.support.chaos.workers import warm_up

    warm_up()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead go at once
    with socket.socket(fileno=int(words[0])) as wishes:
        _attend(wishes)


if __name__ == "__main__":
    _main(sys.argv[1:])
