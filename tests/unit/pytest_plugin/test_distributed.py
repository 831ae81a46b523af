"""The plugin with xdist: the same reports, the same budget, however tests are distributed."""

import re
import xml.etree.ElementTree as ET

import numba.core.boxing  # noqa: F401 - see below
import pytest

import thresher.pytest_plugin.reruns  # noqa: F401 - NumPy and Numba can be imported once only; pytester would forget them

pytest_plugins = ["pytester"]

COUNTED = """
import os
from pathlib import Path
import pytest

def run_of(name):
    path = Path(__file__).parent / f"{name}.runs"
    with path.open("a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\\n")
    return len(path.read_text().split())
"""
FLAKY = """
@pytest.mark.parametrize("i", range(6))
def test_good(i):
    run_of(f"good{i}")

def test_flaky():
    assert run_of("flaky") != 3

def test_broken():
    assert run_of("broken") < 0

@pytest.mark.skip
def test_skipped():
    pass
"""
BAR = ["--thresher-bar", "0.6", "--thresher-budget", "30"]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a place for tests, with no other plugins than ours and xdist."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
        monkeypatch.delenv(name, raising=False)  # we may be run by xdist ourselves
    return pytester


def run(suite: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    """Run a suite on two workers."""
    suite.makepyfile(test_it=COUNTED + text)
    ours = ("-p", "thresher.pytest_plugin", "-p", "xdist", "-p", "no:cacheprovider", "-n", "2")
    return suite.runpytest_inprocess(*ours, *words)


def runs(suite: pytest.Pytester, name: str) -> list[str]:
    """Return the workers on which a test ran."""
    return (suite.path / f"{name}.runs").read_text().split()


@pytest.mark.by_day("load")
@pytest.mark.parametrize("dist", ["load", "worksteal"])
def test_each_test_is_reported_once_and_the_budget_spent_exactly(suite: pytest.Pytester, dist: str) -> None:
    done = run(suite, FLAKY, "--dist", dist, *BAR, "--junitxml=j.xml")
    done.assert_outcomes(passed=7, failed=1, skipped=1)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    names = ["flaky", "broken", *(f"good{i}" for i in range(6))]
    spent = re.search(r"^(\d+) of 30 reruns used", done.stdout.str(), re.MULTILINE)
    assert spent is not None
    assert sum(len(runs(suite, name)) for name in names) == 8 + int(spent[1])
    cases = ET.parse(suite.path / "j.xml").getroot()[0]
    assert len(cases) == len({case.get("name") for case in cases}) == 9
    assert [case.get("name") for case in cases if case.find("failure") is not None] == ["test_broken"]
    done.stdout.fnmatch_lines(
        [
            "*2 workers ?9 items?*",
            "*thresher: * pass, * fail, * undecided*",
            "* of 30 reruns used*",
            "FAILED *test_broken*",
        ]
    )


def test_fewer_tests_than_workers(suite: pytest.Pytester) -> None:
    run(suite, "def test_it():\n    run_of('it')\n", *BAR).assert_outcomes(passed=1)
    assert 2 < len(runs(suite, "it")) <= 31


@pytest.mark.by_day("2")
@pytest.mark.parametrize("number", [1, 2])
def test_x_and_maxfail_stop_as_without_the_plugin(suite: pytest.Pytester, number: int) -> None:
    text = """
@pytest.mark.parametrize("i", range(60))
def test_it(i):
    run_of(f"t{i}")
    assert i % 20
"""
    done = run(suite, text, *BAR, f"--maxfail={number}")
    assert done.ret == pytest.ExitCode.INTERRUPTED  # as xdist itself ends
    done.stdout.fnmatch_lines(["0 of 30 reruns used."])
    done.stdout.fnmatch_lines([f"*stopping after {number} failures*"])
    assert number <= done.parseoutcomes()["failed"] <= 3
    assert len([*suite.path.glob("t*.runs")]) < 60


def test_what_belongs_together_stays_on_its_worker(suite: pytest.Pytester) -> None:
    text = """
@pytest.mark.parametrize("i", range(3))
class TestOne:
    def test_one(self, i):
        run_of("one")

@pytest.mark.parametrize("i", range(3))
class TestTwo:
    def test_two(self, i):
        run_of("two")
"""
    run(suite, text, "--dist", "loadscope", *BAR).assert_outcomes(passed=6)
    assert len(set(runs(suite, "one"))) == len(set(runs(suite, "two"))) == 1
    assert len(runs(suite, "one")) + len(runs(suite, "two")) > 12


@pytest.mark.by_day("3")
@pytest.mark.parametrize("number", [1, 3])
def test_a_worker_that_dies_in_a_run_fails_its_test_and_the_rest_goes_on(suite: pytest.Pytester, number: int) -> None:
    text = f"""
def test_crash():
    if run_of("crash") == {number}:
        os._exit(1)

def test_good():
    run_of("good")
"""
    done = run(suite, text, *BAR)
    assert done.parseoutcomes()["failed"] == 1
    assert done.parseoutcomes()["passed"] == 1
    done.stdout.fnmatch_lines(["*worker '*' crashed while running 'test_it.py::test_crash'*"])
    # The other worker may have run it too, but no worker continues it.
    assert number <= len(runs(suite, "crash")) <= number + 1
    assert len(runs(suite, "good")) > 2


def test_each_on_every_worker_is_refused(suite: pytest.Pytester) -> None:
    done = run(suite, "def test_it():\n    run_of('it')\n", "--dist", "each", *BAR)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*does not go with --dist each*"])


def test_a_wrong_mark_fails_its_test_on_workers(suite: pytest.Pytester) -> None:
    done = run(suite, "@pytest.mark.bar(2)\ndef test_it():\n    run_of('it')\n\ndef test_good():\n    pass\n", *BAR)
    done.assert_outcomes(errors=1, passed=1)
    done.stdout.fnmatch_lines(
        ["*test_it.py::test_it: its mark is @pytest.mark.bar(*); write @pytest.mark.thresher_bar(0.95)*"]
    )
    assert not (suite.path / "it.runs").exists()


def test_no_tests_at_all(suite: pytest.Pytester) -> None:
    assert run(suite, FLAKY, "-k", "nothing", *BAR).ret == pytest.ExitCode.NO_TESTS_COLLECTED
