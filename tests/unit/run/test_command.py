"""A command gives one outcome, or says why it gave none."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.run import CommandMeasurement, MeasurementError, Reading

LAST = Reading("last-line")


def measure(command: str | list[str], reading: Reading = LAST, arm: str = "x", **more: Any) -> float:
    """Return the outcome of one run."""
    return CommandMeasurement(command, reading, **more).measure(arm, {}).value


def test_a_text_is_read_by_a_shell() -> None:
    assert measure("echo 1 | tr 1 7") == 7.0


def test_words_are_run_without_a_shell() -> None:
    assert measure([sys.executable, "-c", "import sys; print(len(sys.argv[1]))", "{arm}"], arm="; echo 9") == 8.0


def test_parameters_reach_the_command() -> None:
    measurement = CommandMeasurement("echo $THRESHER_ARM >&2; echo {size}", LAST, names=["size"])
    assert measurement.measure("x", {"size": 12}).value == 12.0


def test_a_command_runs_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "seven").write_text("7")
    assert measure("cat seven", folder=tmp_path) == 7.0


def test_the_exit_code_is_an_outcome() -> None:
    assert [measure(f"exit {code}", Reading("exit")) for code in (0, 1, 3)] == [1.0, 0.0, 0.0]


def test_the_duration_is_an_outcome() -> None:
    measured = CommandMeasurement("sleep 0.2", Reading("duration")).measure("x", {})
    assert 0.2 <= measured.value == measured.seconds


NEVER_AN_OUTCOME = [
    ("no-such-program {arm}", "not found.*no-such-program", False),
    (["no-such-program"], "no program 'no-such-program'", False),
    (["/"], "cannot be started: Permission denied", False),
    ("/dev/null", "cannot be executed", False),
    ("kill -9 $$", "killed by SIGKILL", True),
    ("sh -c 'kill -TERM $$'; exit $?", "killed by SIGTERM", True),
]
NO_NUMBER = [
    ("echo no data >&2; exit 3", "exit code 3: 'no data'", True),
    ("true", "printed nothing", True),
    ("echo nan", "not a number", True),
]


@pytest.mark.parametrize(
    ("kind", "case"), [("exit", case) for case in NEVER_AN_OUTCOME] + [("last-line", case) for case in NO_NUMBER]
)
def test_a_run_that_gives_nothing_says_why(kind: str, case: tuple[str | list[str], str, bool]) -> None:
    command, says, again = case
    with pytest.raises(MeasurementError, match=says) as caught:
        measure(command, Reading(kind))
    assert caught.value.is_retryable is again


def test_a_command_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    # A command that has not written its child's number before it is killed has not been tried: give it longer.
    for timeout in (0.3, 1.0, 3.0, 10.0, 30.0):
        with pytest.raises(MeasurementError, match=f"longer than {timeout:g} s"):
            measure("sleep 600 & echo $! > child; wait", timeout=timeout, folder=tmp_path)
        if (tmp_path / "child").exists() and (tmp_path / "child").read_text():
            break
    wait_until_gone(int((tmp_path / "child").read_text()))


def wait_until_gone(process: int) -> None:
    """Wait until a process has ended; a zombie has."""
    with suppress(ProcessLookupError, FileNotFoundError):
        while Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] != "Z":
            time.sleep(0.01)


def test_a_timeout_may_have_an_outcome() -> None:
    assert measure("sleep 60", timeout=0.1, timeout_outcome=0.0) == 0.0


def test_a_process_left_behind_does_not_hold_the_outcome_back(tmp_path: Path) -> None:
    assert measure("sleep 600 & echo $! > child; echo 4", folder=tmp_path) == 4.0  # a test has less than 600 s
    os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


def test_much_output_is_read_from_its_end() -> None:
    assert measure([sys.executable, "-c", "print('x' * 5_000_000); print(5)"]) == 5.0


def test_output_that_is_no_text_does_not_hurt() -> None:
    assert measure("printf '\\377\\376\\n3\\n'") == 3.0


def test_stop_ends_what_runs_and_what_comes_after() -> None:
    measurement = CommandMeasurement("sleep 60", Reading("exit"))
    caught: list[MeasurementError] = []

    def work() -> None:
        try:
            measurement.measure("x", {})
        except MeasurementError as error:
            caught.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    while len(measurement._running) < 2:
        time.sleep(0.01)
    measurement.stop()
    for thread in threads:
        thread.join(10)
    assert ["SIGKILL" in str(error) for error in caught] == [True, True]
    with pytest.raises(MeasurementError, match="was stopped"):
        measurement.measure("x", {})


@pytest.mark.parametrize("command", ["", "  ", []])
def test_an_empty_command_is_refused(command: str | list[str]) -> None:
    with pytest.raises(InvalidInputError, match="must not be empty"):
        CommandMeasurement(command, LAST)


def test_a_signal_without_a_name_is_still_a_signal() -> None:
    number = signal.SIGRTMIN + 5
    with pytest.raises(MeasurementError, match=f"killed by signal {number}"):
        measure([sys.executable, "-c", f"import os; os.kill(os.getpid(), {number})"])


def test_a_command_does_not_inherit_the_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_TOKEN", "secret")
    monkeypatch.setenv("THRESHER_DB", "secret")
    count = "import os; print(sum('secret' in value for value in os.environ.values()))"
    assert measure([sys.executable, "-c", count]) == 0.0
    assert measure("env | grep -c secret || :") == 0.0


@pytest.mark.parametrize("command", [[sys.executable, "{arm}"], f"{sys.executable} {{arm}}"])
@pytest.mark.parametrize("reading", [LAST, Reading("exit"), Reading("duration")])
def test_an_arm_that_would_be_an_option_is_not_run(command: str | list[str], reading: Reading, tmp_path: Path) -> None:
    arm = f"-copen({str(tmp_path / 'ran')!r}, 'w'); print(1)"
    with pytest.raises(
        MeasurementError, match=r"was not run: arm is .-copen.*; must not begin with .-. at the start of an argument"
    ) as caught:
        measure(command, reading, arm)
    assert not caught.value.is_retryable
    assert not (tmp_path / "ran").exists()


def test_an_arm_with_a_hyphen_is_taken_where_it_cannot_be_an_option() -> None:
    assert measure([sys.executable, "-c", "import sys; print(len(sys.argv[1]))", "--x={arm}"], arm="-c") == 6.0
    assert measure("echo x{arm} | wc -c", arm="-c") == 4.0


def test_a_parameter_that_would_be_an_option_is_refused() -> None:
    measurement = CommandMeasurement("echo {size}", LAST, names=["size"])
    measurement.check("x", {"size": 1})
    with pytest.raises(InvalidInputError, match="size is '-1'; must not begin with '-'"):
        measurement.check("x", {"size": -1})


def test_words_that_make_a_value_part_of_a_shell_script_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"must not contain {arm}, whose value would run as code"):
        CommandMeasurement(["sh", "-c", "echo {arm}"], LAST)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("echo $((5 % ))", "is not a valid shell command: '/bin/sh"),
        ("echo ${arm!}", "is not a valid shell command: '/bin/sh"),
        (["sh", "-c", "no-such-program-here"], "was not found, or cannot be executed: .*no-such-program-here"),
        (["sh", "-c", "exit 126"], "was not found, or cannot be executed"),
        (["sh", "-c", "exit 137"], "was killed by SIGKILL"),
    ],
)
def test_a_broken_command_has_no_outcome(command: str | list[str], complaint: str) -> None:
    with pytest.raises(MeasurementError, match=complaint):
        CommandMeasurement(command, Reading("exit")).measure("a", {})


def test_a_failing_command_keeps_its_message() -> None:
    measured = CommandMeasurement("echo no grade >&2; exit 3", Reading("exit")).measure("a", {})
    assert (measured.value, measured.fault) == (0.0, "exit code 3: 'no grade'")
    assert CommandMeasurement("exit 3", Reading("exit")).measure("a", {}).fault == ""


def test_the_repeat_of_an_item_is_a_placeholder_and_a_variable() -> None:
    command = CommandMeasurement('echo "$THRESHER_REPEAT"{repeat}', LAST, has_items=True, has_repeats=True)
    assert command.measure("x", {}, "q1", 3).value == 33.0
    with pytest.raises(UnknownNameError, match="repeat"):
        CommandMeasurement("echo {repeat}", LAST, has_items=True)
