"""One process of promptfoo: where the program is, how it is started, and what it writes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError
from thresher.run.environment import CREDENTIALS
from thresher.run.measurement import MeasurementError

HOOK = Path(__file__).with_name("promptfoo_hook.mjs")
OPTIONS = ("--no-table", "--no-progress-bar", "--no-write", "--no-share", "--repeat", "1")
TAIL = 300  # characters of the output in an error message


@dataclass(frozen=True)
class Written:
    """What a process of promptfoo has written: its results, and the cases that it was asked to list."""

    results: dict[str, Any]
    cases: dict[str, Any]


@dataclass(frozen=True)
class Promptfoo:
    """promptfoo with one configuration.

    Parameters
    ----------
    config : Path
        ``promptfooconfig.yaml``, or another file that ``promptfoo eval -c`` reads.
    timeout : float, optional
        Seconds for one case, by promptfoo's own limit.

    Raises
    ------
    InvalidInputError
        If there is no such file, or promptfoo is not installed.
    """

    config: Path
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not self.config.is_file():
            rule = "must be a configuration of promptfoo, such as promptfooconfig.yaml"
            raise InvalidInputError("promptfoo", str(self.config), rule=rule)
        self.find()

    def find(self) -> str:
        """Return the program: that of the project in which the configuration is, or the one on the PATH."""
        folder = self.config.resolve().parent
        for place in (folder, *folder.parents):
            if (local := place / "node_modules" / ".bin" / "promptfoo").is_file():
                return str(local)
        if (found := shutil.which("promptfoo")) is None:
            rule = "needs the program promptfoo, which is neither on the PATH nor in node_modules"
            raise InvalidInputError("promptfoo", str(self.config), rule=rule, fix="type npm install promptfoo")
        return found

    def run(self, plan: list[dict[str, Any]] | None, on_start: Callable[[subprocess.Popen[bytes]], None]) -> Written:
        """Run the cases of a plan, or list all of them without a call if there is none.

        Parameters
        ----------
        plan : list of dict, optional
            The ``number`` of each case, its ``prompt`` and its ``provider``.
        on_start : callable
            Gets the process, which may be killed.

        Raises
        ------
        MeasurementError
            If promptfoo cannot be started, or ends without results.
        """
        with tempfile.TemporaryDirectory(prefix="thresher-promptfoo-") as made, tempfile.TemporaryFile() as output:
            folder = Path(made)
            (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
            try:
                process = subprocess.Popen(  # noqa: S603 - the program is the user's
                    self._words(folder),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=self.config.parent,
                    env=self._environment(folder),
                    start_new_session=True,  # Ctrl-C stops the run, which kills the process and what it started
                )
            except OSError as error:
                raise MeasurementError(f"cannot be started: {error.strerror or error}", is_retryable=False) from error
            try:
                on_start(process)
                code = process.wait()
            finally:
                end(process)
            output.seek(0)
            said = " ".join(output.read().decode(errors="replace").split())[-TAIL:]
            return _written(folder, code, said)

    def _words(self, folder: Path) -> list[str]:
        extension, results = f"file://{HOOK}:thresher", str(folder / "results.json")
        return [self.find(), "eval", "-c", str(self.config.resolve()), "-x", extension, "-o", results, *OPTIONS]

    def _environment(self, folder: Path) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name not in CREDENTIALS}
        own = {"PROMPTFOO_DISABLE_UPDATE": "true"}
        own |= {"THRESHER_PROMPTFOO_PLAN": str(folder / "plan.json")}
        own |= {"THRESHER_PROMPTFOO_CASES": str(folder / "cases.json")}
        if self.timeout is not None:
            own["PROMPTFOO_EVAL_TIMEOUT_MS"] = str(round(1000 * self.timeout))
        return inherited | own


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that has not ended, and all that it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _written(folder: Path, code: int, said: str) -> Written:
    """Return the files of a process; its exit code only says whether all cases passed."""
    try:
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["results"]
        listed = folder / "cases.json"
        return Written(results, json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {})
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise MeasurementError(f"ended with exit code {code} and no results: {said!r}") from error
