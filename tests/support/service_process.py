"""``thresher serve`` as a process of its own, for tests that stop it, listen to its log or start several."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx2
import pytest

from thresher.campaign.storage import Storage
from thresher.campaign.storage.tokens import token_table
from thresher.cli.main import main
from thresher.service import Keyring
from thresher.service.settings import API

PATIENCE = 120.0  # seconds that a busy machine may take to start a server
CODE = re.compile(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b")


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, str, str]:
    """Run a command of thresher in this process; return its exit code, and what it wrote to either stream."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return left.value.code or 0, *capsys.readouterr()


class ServiceProcess:
    """A server over a database, from its start to the end of a ``with`` block.

    Parameters
    ----------
    db : str
        The address of the database.
    folder : Path
        Where it runs and its log ends up, in the file ``log``.
    *words : str
        Further words of the command line; without ``--port`` it takes any free one.
    umask : int
        Of the process.
    descriptors : int, optional
        File descriptors that the process may have.
    """

    def __init__(self, db: str, folder: Path, *words: str, umask: int = -1, descriptors: int | None = None) -> None:
        command = [sys.executable, "-m", "thresher", "serve", "--db", db, *words]
        if "--port" not in words:
            command += ["--port", "0"]
        if descriptors is not None:
            command = ["/bin/sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", *command]
        self.log_file = folder / "log"
        with self.log_file.open("a") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True, umask=umask
            )
        assert self.process.stdout is not None
        self.said = [self.process.stdout.readline().rstrip("\n") for _ in range(2)]
        if not all(self.said):
            self.__exit__(None, None, None)  # or it would outlive the test
            raise AssertionError(f"the server did not start: {self.log()}")
        self.address = self.said[0].split()[-1]
        self.port = int(self.address.rpartition(":")[2])

    @property
    def code(self) -> str:
        """The one-time code that it has printed."""
        found = CODE.search(self.said[1])
        assert found is not None
        return found.group()

    def log(self) -> str:
        """Return what it has logged so far."""
        return self.log_file.read_text(encoding="utf-8")

    def client(self, token: str = "") -> httpx2.Client:
        """Return a client with a token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.Client(base_url=self.address + API, headers=headers, timeout=PATIENCE, trust_env=False)

    def ask_to_stop(self) -> None:
        """Send the signal that ends a service politely."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Return its exit code once it has ended."""
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def keyring_of(storage: Storage) -> Keyring:
    """Return what makes tokens for the service over a storage."""
    return Keyring(token_table(storage))


def wait_until(is_so: Callable[[], bool], what: str, *, while_alive: subprocess.Popen[str] | None = None) -> None:
    """Wait until a condition holds, with the patience that a busy machine needs, or until a process has ended."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, f"timed out: {what}"
        assert while_alive is None or while_alive.poll() is None, f"it has ended: {what}"
        time.sleep(0.02)
