"""The plugin together with the real plugins that suites have: each does its work, and reruns stay what they are."""

import re

import numba.core.boxing  # noqa: F401 - see below
import pytest

import thresher.pytest_plugin.reruns  # noqa: F401 - NumPy and Numba can be imported once only; pytester would forget them

pytest_plugins = ["pytester"]

OURS = ("-p", "thresher.pytest_plugin", "-p", "no:cacheprovider", "--thresher-bar", "0.6", "--thresher-budget", "30")


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a place for tests, with the plugins that a test names and no other."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
        monkeypatch.delenv(name, raising=False)  # we may be run by xdist ourselves
    return pytester


def run(suite: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Run the suite in a process of its own: other plugins change the state of the interpreter."""
    return suite.runpytest_subprocess(*OURS, *words)


RANDOM = """
import random
from pathlib import Path

def test_random():
    value = random.random()
    with Path(__file__).with_name("values").open("a") as file:
        file.write(f"{value}\\n")
    assert value > 0.25
"""


@pytest.mark.nightly
@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["serial", "xdist"])
def test_randomly_gives_every_rerun_another_seed_which_a_failure_names(
    suite: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    suite.makepyfile(RANDOM)
    with_randomly = ("-p", "pytest_randomly", *workers)
    done = run(suite, *with_randomly, "--randomly-seed=1", "--thresher-bar", "0.95")
    values = (suite.path / "values").read_text().split()
    assert len(values) == len(set(values)) > 3
    done.assert_outcomes(failed=1)
    shown = re.search(r"This rerun had --randomly-seed=(\d+)", done.stdout.str())
    assert shown is not None
    (suite.path / "values").unlink()
    again = run(suite, "-p", "pytest_randomly", f"--randomly-seed={shown[1]}", "--thresher-budget", "0")
    again.assert_outcomes(failed=1)
    assert (suite.path / "values").read_text().split()[0] in values  # the failure, repeated


def test_rerunfailures_is_said_to_have_no_effect(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import pytest
        from pathlib import Path

        @pytest.mark.flaky(reruns=2)
        def test_it():
            with Path(__file__).with_name("runs").open("a") as file:
                file.write("x")
            assert Path(__file__).with_name("runs").stat().st_size != 1
        """
    )
    done = run(suite, "-p", "pytest_rerunfailures", "--reruns", "2")
    done.assert_outcomes(passed=1)
    text = " ".join(done.stdout.str().split())
    assert "has no effect here (--reruns 2 and the mark 'flaky' of 1 test): thresher reruns" in text
    reruns = re.search(r"(\d+) of 30 reruns used", text)
    assert reruns is not None
    assert (suite.path / "runs").stat().st_size == 1 + int(reruns[1])


def test_timeout_fails_a_run_and_the_next_one_has_its_own_time(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import time
        from pathlib import Path

        def test_it():
            path = Path(__file__).with_name("runs")
            with path.open("a") as file:
                file.write("x")
            time.sleep(60.0 if path.stat().st_size == 2 else 0.0)
        """
    )
    done = run(suite, "-p", "pytest_timeout", "--timeout", "2")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["*test_it:", "    passed * of * runs*: ✔ pass*"])
    assert (suite.path / "runs").stat().st_size > 3


@pytest.mark.nightly
def test_cov_counts_lines_that_only_reruns_reach(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        helper="""
        def first():
            return 1

        def later():
            return 2
        """,
        test_it="""
        import helper

        RUNS = []

        def test_it():
            RUNS.append(helper.first() if not RUNS else helper.later())
        """,
    )
    done = run(suite, "-p", "pytest_cov", "--cov=helper", "--cov-report=term")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["helper.py * 100%"])


def test_asyncio_tests_are_rerun_with_their_fixtures(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import asyncio
        import pytest
        import pytest_asyncio

        RUNS = []

        @pytest_asyncio.fixture
        async def own():
            await asyncio.sleep(0)
            yield "own"

        @pytest_asyncio.fixture(scope="module", loop_scope="module")
        async def shared():
            yield asyncio.get_running_loop()

        @pytest.mark.asyncio
        async def test_it(own):
            await asyncio.sleep(0)
            RUNS.append(own)
            assert len(RUNS) != 2

        @pytest.mark.asyncio(loop_scope="module")
        async def test_in_the_loop_of_the_module(shared):
            assert shared is asyncio.get_running_loop()
        """
    )
    done = run(suite, "-p", "pytest_asyncio.plugin", "-W", "error::pytest.PytestUnraisableExceptionWarning")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["*test_it:", "    passed * of * runs*: ✔ pass*"])


@pytest.mark.nightly
def test_loadscope_of_xdist_with_randomly_and_cov(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        helper="def help():\n    return 1\n",
        test_it="""
        import random
        import helper
        import pytest

        class TestOne:
            @pytest.mark.parametrize("x", ["a b", "a/b", "ü", "[", "x" * 600])
            def test_it(self, x):
                assert helper.help()

            def test_random(self):
                assert random.random() > 0.9
        """,
    )
    plugins = ("-p", "xdist", "-p", "pytest_randomly", "-p", "pytest_cov", "-n", "2", "--dist", "loadscope")
    done = run(suite, *plugins, "--cov=helper", "--cov-report=term")
    done.assert_outcomes(passed=5, failed=1)
    done.stdout.fnmatch_lines(["helper.py * 100%"])
