"""A measurement by a command: one process for each pull, killed after a timeout."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import IO, Any

from thresher.errors import InvalidInputError
from thresher.run import placeholders
from thresher.run.environment import environment_of, values_of
from thresher.run.measurement import LimitedMeasurement, Measured, MeasurementError
from thresher.run.reading import Reading

NOT_EXECUTABLE, NOT_FOUND = 126, 127
SHELL_ERROR = 2  # of /bin/sh itself: a syntax error, a bad substitution; other programs use it too
MOST_OUTPUT = 1_000_000  # bytes of the output that are read, from its end
TAIL = 200  # characters of standard error in an error message


@dataclass(eq=False)
class CommandMeasurement(LimitedMeasurement):
    """Measures an arm by running a command.

    Parameters
    ----------
    command : str or sequence of str
        ``/bin/sh`` runs a string; a sequence of words is run without a shell. ``{arm}`` is replaced by the name of the
        arm and ``{parameter}`` by one of its parameters; both are also in the environment (``THRESHER_ARM``,
        ``THRESHER_PARAMETER_NAME``). The token and the address of the database (``THRESHER_TOKEN``, ``THRESHER_DB``)
        are removed from the environment.
    reading : Reading
        How to read the outcome. A command that fails has none, unless the exit code itself is the outcome.
    timeout, timeout_outcome, cost : optional
        As in :class:`~thresher.run.measurement.LimitedMeasurement`.
    names : iterable of str
        The parameters that arms have.
    has_items, has_repeats : bool
        Whether arms answer items: then ``{item}`` is the name of the item, which is in ``THRESHER_ITEM`` too. Where
        items are asked several times, ``{repeat}`` and ``THRESHER_REPEAT`` are 1, 2, …
    folder : Path, optional
        Where the command runs; the current directory unless given.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If the command is empty, a placeholder cannot be filled in, its value would be part of a shell script, or
        ``/bin/sh`` leaves a variable empty that bash sets (``$RANDOM``).
    """

    command: str | Sequence[str]
    reading: Reading
    _: KW_ONLY
    names: Iterable[str] = ()
    has_items: bool = False
    has_repeats: bool = False
    folder: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        command = self.command
        if not command or (isinstance(command, str) and not command.strip()):
            raise InvalidInputError("command", command, rule="must not be empty", fix="write what measures {arm}")
        own = (("item", self.has_items), ("repeat", self.has_repeats))
        known = {"arm", *self.names, *(name for name, is_known in own if is_known)}
        self._script = ""
        if isinstance(command, str):
            self._script = placeholders.shell_command(command, known)
            self._leading = placeholders.leading_in_shell(command)
            placeholders.check_variables(command)
        else:
            placeholders.check_words(command, known)
            self._leading = placeholders.leading_in_words(command, known)

    def __str__(self) -> str:
        return self.command if isinstance(self.command, str) else shlex.join(self.command)

    def check(self, arm: str, parameters: Mapping[str, Any], item: str | None = None) -> None:
        """Raise InvalidInputError if the command would read the arm's name or parameters, or the item, as an option."""
        placeholders.check_values(self._leading, values_of(arm, parameters, item))

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        """Return the outcome of running the command once.

        Raises
        ------
        MeasurementError
            If :meth:`check` fails, or the command is not found, fails, is killed, takes too long, or prints no number.
        """
        try:
            self.check(arm, parameters, item)
        except InvalidInputError as error:
            raise MeasurementError(f"was not run: {error}", is_retryable=False) from error
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as stderr:
            started = time.perf_counter()
            process = self._start((arm, parameters, item, repeat), output, stderr)
            try:
                code = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                return self._timed_out(time.perf_counter() - started)
            finally:
                self._end(process)
                process.wait()
                with self._lock:
                    self._running.discard(process)
            seconds = time.perf_counter() - started
            self._check_exit(code, stderr)
            text = _end_of(output, MOST_OUTPUT)
            value = float(code == 0) if self.reading.kind == "exit" else self.reading.of(text, seconds)
            complaint = _tail(stderr) if code else ""  # a check that fails is silent as a rule, a wrong command is not
            return self._measured(value, seconds, text, f"exit code {code}{complaint}" if complaint else "")

    def _start(
        self,
        measured: tuple[str, Mapping[str, Any], str | None, int | None],
        output: IO[bytes],
        stderr: IO[bytes],
    ) -> subprocess.Popen[bytes]:
        values = values_of(*measured)
        words = ["/bin/sh", "-c", self._script] if self._script else placeholders.words_of(self.command, values)
        with self._lock:
            self._raise_if_stopped()
            try:
                # Files, not pipes: a process that the command leaves behind would hold a pipe open forever. A new
                # session: a timeout kills all of its processes, and Ctrl-C does not reach them.
                process = subprocess.Popen(  # noqa: S603 - the command is the user's
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=stderr,
                    cwd=self.folder,
                    env=environment_of(*measured),
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                raise MeasurementError(f"was not found: no program {words[0]!r}", is_retryable=False) from error
            except OSError as error:
                raise MeasurementError(f"cannot be started: {error.strerror or error}", is_retryable=False) from error
            self._running.add(process)
            return process

    def _end(self, running: subprocess.Popen[bytes]) -> None:
        """Kill a process that has not ended, and all that it started."""
        if running.poll() is None:
            try:
                os.killpg(running.pid, signal.SIGKILL)
            except ProcessLookupError:
                running.kill()

    def _check_exit(self, code: int, stderr: IO[bytes]) -> None:
        """Raise MeasurementError if the command ended in a way that has no outcome."""
        if killer := _signal_in(code):
            raise MeasurementError(f"was killed by {killer}{_tail(stderr)}")
        if code in (NOT_EXECUTABLE, NOT_FOUND):
            raise MeasurementError(f"was not found, or cannot be executed{_tail(stderr)}", is_retryable=False)
        if self._script and code == SHELL_ERROR and _end_of(stderr, 4 * TAIL).lstrip().startswith("/bin/sh: "):
            raise MeasurementError(f"is not a valid shell command{_tail(stderr)}", is_retryable=False)
        if code != 0 and self.reading.kind != "exit":
            raise MeasurementError(f"failed with exit code {code}{_tail(stderr)}")


def _signal_in(code: int) -> str | None:
    """Return the name of the signal that ended a process; a shell exits with 128 + the number of the signal."""
    number = -code if code < 0 else code - 128
    if not 0 < number < signal.NSIG:
        return None
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end_of(file: IO[bytes], most: int) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - most, 0))
    return file.read().decode(errors="replace")


def _tail(stderr: IO[bytes]) -> str:
    text = " ".join(_end_of(stderr, 4 * TAIL).split())
    return f": {text[-TAIL:]!r}" if text else ""
