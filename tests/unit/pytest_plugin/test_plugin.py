"""The plugin in real sessions of pytest: what is reported, what is rerun, what is kept."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numba.core.boxing  # noqa: F401 - see below
import pytest

import thresher.pytest_plugin.reruns  # noqa: F401 - NumPy and Numba can be imported once only; pytester would forget them
from thresher.campaign import Campaign
from thresher.pytest_plugin.history import History

pytest_plugins = ["pytester"]

COUNTED = """
from pathlib import Path
import pytest

def run_of(name):
    path = Path(__file__).parent / f"{name}.runs"
    runs = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(runs))
    return runs
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a place for tests, with no other plugin than ours."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


def write(suite: pytest.Pytester, text: str) -> None:
    """Write the tests of a suite."""
    suite.makepyfile(test_it=COUNTED + text)


def run(suite: pytest.Pytester, *words: str, ctrl_c: bool = False) -> pytest.RunResult:
    """Run the suite."""
    ours = ("-p", "thresher.pytest_plugin", "-p", "no:cacheprovider")
    return suite.runpytest_inprocess(*ours, *words, no_reraise_ctrlc=ctrl_c)


def runs(suite: pytest.Pytester, name: str) -> int:
    """Return how often a test ran."""
    return int((suite.path / f"{name}.runs").read_text())


BAR = ["--thresher-bar", "0.6", "--thresher-budget", "30"]
FLAKY = """
def test_good():
    run_of("good")

def test_flaky():
    assert run_of("flaky") % 5 != 1

def test_broken():
    assert run_of("broken") < 0
"""


def test_without_its_option_it_does_nothing(suite: pytest.Pytester) -> None:
    write(suite, FLAKY + "\n@pytest.mark.bar('nonsense')\ndef test_marked():\n    pass\n")
    run(suite, "--strict-markers").assert_outcomes(passed=2, failed=2)
    assert runs(suite, "flaky") == 1
    assert not (suite.path / ".thresher-pytest.db").exists()


def test_each_test_is_reported_once_by_its_verdict(suite: pytest.Pytester) -> None:
    write(suite, FLAKY)
    done = run(suite, *BAR, "--junitxml=j.xml")
    done.assert_outcomes(passed=2, failed=1)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    spent = re.search(r"^(\d+) of 30 reruns used", done.stdout.str(), re.MULTILINE)
    assert spent is not None
    assert sum(runs(suite, name) for name in ("good", "flaky", "broken")) == 3 + int(spent[1])
    done.stdout.fnmatch_lines(
        [
            "*thresher: * pass, * fail, * undecided*",
            "If you acted on all 3 now, expect * mistake*.",
            "1 test failed every run in this session:",
            "  test_it.py::test_broken: failed all 4 runs in this session",
            "1 test failed in this session and *:",
            "  test_it.py::test_flaky: passed * of * runs (*), bar 0.6: *",
            "* of 30 reruns used.",
            "FAILED test_it.py::test_broken*",
        ]
    )
    cases = ET.parse(suite.path / "j.xml").getroot()[0]
    assert {case.get("name"): [part.tag for part in case if part.tag != "properties"] for case in cases} == {
        "test_good": [],
        "test_flaky": [],
        "test_broken": ["failure"],
    }
    properties = {each.get("name"): each.get("value") for each in cases[1][0]}
    assert properties["thresher_runs"] == str(runs(suite, "flaky"))
    assert properties["thresher_failures"] == str((runs(suite, "flaky") + 4) // 5)


def test_a_flaky_test_below_its_bar_fails_although_it_passed_first(suite: pytest.Pytester) -> None:
    write(suite, "def test_flaky():\n    assert run_of('flaky') % 4 == 1, 'as on most runs'\n")
    done = run(suite, *BAR)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["E*as on most runs", "passed * of * runs (*), bar 0.6: ✘ fail*"])


def test_an_open_test_is_red_in_a_night_in_which_it_fails_and_in_no_other(suite: pytest.Pytester) -> None:
    write(
        suite, "def test_flaky():\n    assert run_of('flaky') % 2 == 1 or (Path(__file__).parent / 'quiet').exists()\n"
    )
    done = run(suite, "--thresher-bar", "0.5", "--thresher-budget", "30")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*thresher: 0 pass, 0 fail, 1 undecided =*",
            "Undecided: 1 too close to call.",
            "1 test failed in this session and is undecided: red until it is decided:",
            "  *passed 16 of 31 runs (0.516), bar 0.5: *",
        ]
    )
    (suite.path / "quiet").touch()
    done = run(suite, "--thresher-bar", "0.5", "--thresher-budget", "0")
    done.assert_outcomes(passed=1)
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines(["1 test is undecided after earlier failures: not red:", "  *passed 17 of 32 runs, 31 *"])


def test_a_test_that_failed_once_is_rerun_first_and_turns_green(suite: pytest.Pytester) -> None:
    good = "".join(f"def test_{i}():\n    run_of('{i}')\n\n" for i in range(5))
    write(suite, good + "def test_once():\n    assert run_of('once') > 1\n")
    done = run(suite, *BAR)
    done.assert_outcomes(passed=6)
    done.stdout.fnmatch_lines(
        ["1 test failed in this session and passes its bar:", "  test_it.py::test_once: passed *: ✔ pass*"]
    )
    assert runs(suite, "once") > max(runs(suite, str(i)) for i in range(5))


def test_an_outage_is_said_and_changes_no_history(suite: pytest.Pytester) -> None:
    good = [f"def test_{i}():\n    assert not (Path(__file__).parent / 'down').exists()\n\n" for i in range(6)]
    write(suite, "".join(good))
    run(suite, *BAR).assert_outcomes(passed=6)
    kept = History(suite.path / ".thresher-pytest.db").load()
    (suite.path / "down").touch()
    done = run(suite, *BAR)
    done.assert_outcomes(failed=6)
    done.stdout.fnmatch_lines(
        [
            "*thresher: 6 pass, 0 fail, 0 undecided*",
            "Outage: 6 of 6 tests that used to pass failed. This session changes no*",
            "  *::test_0:",
            "    failed its only run in this session, with earlier sessions: ✔ pass*",
            "0 of 30 reruns used.",
            "The history in .thresher-pytest.db is as before.",
        ]
    )
    assert History(suite.path / ".thresher-pytest.db").load() == kept
    counted = run(suite, *BAR, "--thresher-count-outage")
    counted.stdout.fnmatch_lines(["*6 tests: each failed every run in this session:"])
    assert History(suite.path / ".thresher-pytest.db").load() != kept


def test_a_budget_in_seconds_is_spent_in_seconds(suite: pytest.Pytester) -> None:
    write(suite, "import time\n\ndef test_it():\n    run_of('it')\n    time.sleep(0.05)\n")
    done = run(suite, "--thresher-bar", "0.6", "--thresher-budget", "0.4s")
    done.stdout.fnmatch_lines(["0* of 0.4 s of reruns used."])
    assert runs(suite, "it") <= 9  # a busy machine makes each run longer, never shorter


@pytest.mark.parametrize("budget", ["0", "1", "3", "20"])
def test_a_deterministic_failure_is_never_green(suite: pytest.Pytester, budget: str) -> None:
    write(
        suite,
        """
def test_broken():
    assert 0

@pytest.fixture
def bad():
    raise RuntimeError

def test_setup(bad):
    pass

@pytest.fixture
def ends_badly():
    yield
    raise RuntimeError

def test_teardown(ends_badly):
    pass

@pytest.mark.xfail(strict=True)
def test_unexpected():
    pass
""",
    )
    done = run(suite, "--thresher-bar", "0.01", "--thresher-budget", budget)
    done.assert_outcomes(failed=2, errors=2, passed=1)  # as pytest counts them: the call before a bad teardown passed
    assert done.ret == pytest.ExitCode.TESTS_FAILED


def test_a_deterministic_failure_is_red_after_a_long_good_past(suite: pytest.Pytester) -> None:
    write(suite, "def test_it():\n    assert not (Path(__file__).parent / 'broken').exists()\n")
    for _ in range(3):
        run(suite, "--thresher-bar", "0.5", "--thresher-budget", "40").assert_outcomes(passed=1)
    (suite.path / "broken").touch()  # what is tested breaks; the test itself stays as it is
    run(suite, "--thresher-bar", "0.5", "--thresher-budget", "2").assert_outcomes(failed=1)


def test_the_past_is_kept_and_forgotten_with_the_source(suite: pytest.Pytester) -> None:
    write(suite, "def test_it():\n    run_of('it')\n")
    run(suite, *BAR).stdout.fnmatch_lines(["Every test passed every time.", "The history is in *pytest.db."])
    write(suite, "def helper():\n    pass\n\ndef test_it():\n    run_of('it')\n    assert run_of('b') % 2\n")
    first = run(suite, "--thresher-bar", "0.6", "--thresher-budget", "8")
    assert "earlier sessions" not in first.stdout.str()
    write(suite, "def helper():\n    changed = 1\n\ndef test_it():\n    run_of('it')\n    assert run_of('b') % 2\n")
    second = run(suite, "--thresher-bar", "0.6", "--thresher-budget", "9")
    second.stdout.fnmatch_lines(["*passed * of * runs, * of them in earlier sessions*"])


def test_history_that_cannot_be_used_is_said_before_anything_runs(suite: pytest.Pytester) -> None:
    write(suite, FLAKY)
    (suite.path / "h.db").write_text("nonsense" * 999)
    done = run(suite, *BAR, "--thresher-db", "h.db")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*h.db*name another file by --thresher-db*"])
    assert not (suite.path / "good.runs").exists()


def test_skips_and_expected_failures_are_left_to_pytest(suite: pytest.Pytester) -> None:
    write(
        suite,
        """
def test_good():
    pass

@pytest.mark.skip
def test_skipped():
    pass

def test_skips():
    run_of("skips")
    pytest.skip("not here")

@pytest.mark.xfail
def test_expected():
    run_of("expected")
    assert 0

@pytest.mark.xfail(strict=False)
def test_better_than_expected():
    pass
""",
    )
    done = run(suite, *BAR, "--junitxml=j.xml")
    done.assert_outcomes(passed=1, skipped=2, xfailed=1, xpassed=1)
    assert done.ret == pytest.ExitCode.OK
    assert (runs(suite, "skips"), runs(suite, "expected")) == (1, 1)
    assert len(ET.parse(suite.path / "j.xml").getroot()[0]) == 5


def test_a_test_that_skips_in_a_rerun_is_judged_no_more(suite: pytest.Pytester) -> None:
    write(
        suite, "def test_it():\n    if run_of('it') == 3:\n        pytest.skip('now')\n\ndef test_good():\n    pass\n"
    )
    done = run(suite, *BAR)
    assert done.ret == pytest.ExitCode.OK
    assert runs(suite, "it") == 3
    done.stdout.fnmatch_lines(["*thresher: * undecided*", "Every test passed every time."])


def test_marks_set_bars(suite: pytest.Pytester) -> None:
    text = "def test_it():\n    assert run_of('it') % 5\n"
    write(suite, f"@pytest.mark.bar(0.95, cost=5)\n{text}")
    run(suite, "--strict-markers", *BAR).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    "mark", ["bar()", "bar(1.5)", "bar('x')", "bar(0.5, price=1)", "bar(0.5, cost=-1)", "bar(True)"]
)
def test_a_wrong_mark_is_said_before_anything_runs(suite: pytest.Pytester, mark: str) -> None:
    write(suite, f"@pytest.mark.{mark}\ndef test_it():\n    run_of('it')\n")
    done = run(suite, *BAR)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(
        ["*test_it.py::test_it: its mark is @pytest.mark.bar(*); write @pytest.mark.thresher_bar(0.95)*"]
    )
    assert not (suite.path / "it.runs").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--thresher-bar", "1"], "'1' must be a number between 0 and 1, such as 0.98 or 98%"),
        (["--thresher-bar", "nan"], "'nan' must be a number"),
        (["--thresher-bar", "x"], "'x' must be a number"),
        (
            ["--thresher-bar", "0.9", "--thresher-budget", "-5"],
            "'-5' must be a whole number of reruns, such as 500, or seconds, such as 120s",
        ),
        (["--thresher-bar", "0.9", "--thresher-budget", "x"], "'x' must be a whole number of reruns"),
        (["--thresher-budget", "5"], "--thresher-budget without --thresher-bar; give the bar too, such as 0.98"),
    ],
)
def test_a_wrong_option_is_a_usage_error(suite: pytest.Pytester, words: list[str], sentence: str) -> None:
    write(suite, FLAKY)
    done = run(suite, *words)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert sentence in done.stderr.str()


def test_fixtures_are_made_anew_for_every_run_and_shared_ones_kept(suite: pytest.Pytester) -> None:
    write(
        suite,
        """
@pytest.fixture
def own(tmp_path):
    run_of("made")
    (tmp_path / "x").touch(exist_ok=False)
    yield
    run_of("ended")

@pytest.fixture(scope="module")
def shared():
    run_of("shared")

def test_it(own, shared):
    run_of("it")
""",
    )
    run(suite, *BAR).assert_outcomes(passed=1)
    assert runs(suite, "it") == runs(suite, "made") == runs(suite, "ended") > 2
    assert runs(suite, "shared") == 2  # once for the first run, once for all reruns


def test_fixtures_of_classes_and_of_the_session_end_as_often_as_they_begin(suite: pytest.Pytester) -> None:
    write(
        suite,
        """
@pytest.fixture(scope="session")
def session():
    run_of("session")
    yield
    run_of("session_end")

@pytest.fixture(scope="class")
def own():
    run_of("class")
    yield
    run_of("class_end")

class TestOne:
    def test_a(self, session, own):
        run_of("a")

    def test_b(self, session, own):
        assert run_of("b") % 2
""",
    )
    run(suite, *BAR).assert_outcomes(passed=1, failed=1)
    assert runs(suite, "session") == runs(suite, "session_end") == 2  # once for the first runs, once for all reruns
    assert runs(suite, "class") == runs(suite, "class_end")


@pytest.mark.parametrize(("option", "ran"), [("-x", 1), ("--maxfail=2", 2), ("--maxfail=3", 0)])
def test_x_and_maxfail_stop_as_without_the_plugin(suite: pytest.Pytester, option: str, ran: int) -> None:
    bad = [f"def test_{i}():\n    assert run_of('{i}') < 0\n\n" for i in range(2)]
    write(suite, "".join(bad) + "def test_last():\n    run_of('last')\n")
    done = run(suite, *BAR, option)
    if not ran:  # fewer failures than that: reruns as always
        assert (runs(suite, "0"), runs(suite, "1")) == (4, 4)
        return
    done.assert_outcomes(failed=ran)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert [(suite.path / f"{name}.runs").exists() for name in ("0", "1", "last")] == [True, ran == 2, False]
    assert runs(suite, "0") == 1  # nothing is rerun
    done.stdout.fnmatch_lines(["0 of 30 reruns used.", f"*stopping after {ran} failures*"])


def test_unittest_and_doctest_and_parameters(suite: pytest.Pytester) -> None:
    write(
        suite,
        '''
import unittest

class TestIt(unittest.TestCase):
    def setUp(self):
        run_of("setup")
    def test_it(self):
        pass

@pytest.mark.parametrize("x", [1, 2])
def test_x(x):
    assert x == 1

def documented():
    """
    >>> 1 + 1
    2
    """
''',
    )
    done = run(suite, *BAR, "--doctest-modules")
    done.assert_outcomes(passed=3, failed=1)
    assert runs(suite, "setup") > 1


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="pytest has subtests since version 9")
def test_a_failed_subtest_fails_its_test(suite: pytest.Pytester) -> None:
    write(suite, "def test_it(subtests):\n    with subtests.test('part'):\n        assert 0\n")
    done = run(suite, *BAR)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["FAILED test_it.py::test_it - failed all * runs*"])


def test_a_past_below_the_bar_fails_a_test_that_passes_tonight(suite: pytest.Pytester) -> None:
    write(suite, "def test_it():\n    assert (Path(__file__).parent / 'works').exists() or run_of('it') % 4 == 1\n")
    run(suite, *BAR).assert_outcomes(failed=1)
    (suite.path / "works").touch()
    done = run(suite, "--thresher-bar", "0.6", "--thresher-budget", "0")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "passed * of * runs, * of them in earlier sessions (*), bar 0.6: ✘ fail*",
            "The last failure (20*-*-*):",
            "*def test_it():*",
            "E*assert*",
            "FAILED test_it.py::test_it - passed * of * runs*",
        ]
    )


def test_an_interrupted_night_reports_and_keeps_what_was_seen(suite: pytest.Pytester) -> None:
    write(suite, "def test_it():\n    if run_of('it') == 5:\n        raise KeyboardInterrupt\n")
    done = run(suite, *BAR, ctrl_c=True)
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert "4 runs" not in done.stdout.str()  # all passed: nothing to say of it
    done.stdout.fnmatch_lines(["Every test passed every time.", "3 of 30 reruns used*"])


def test_verbose_lines_and_captured_output(suite: pytest.Pytester) -> None:
    write(suite, "def test_it():\n    print('seen in run', run_of('it'))\n    assert run_of('b') % 4 == 1\n")
    done = run(suite, *BAR, "-v")
    text = done.stdout.str()
    assert len(re.findall(r"test_it\.py::test_it (PASSED|RERUN)", text)) == runs(suite, "it") > 4
    assert len(re.findall(r"^seen in run \d+$", text, re.MULTILINE)) == 1  # the output of the run that is shown


def test_a_history_that_cannot_be_written_does_not_hide_the_verdicts(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thresher.pytest_plugin import history

    def full(*_: Any) -> None:
        raise history.HistoryError("the disk is full")

    monkeypatch.setattr(history.History, "keep", full)
    write(suite, FLAKY)
    done = run(suite, *BAR)
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["The history was not stored: the disk is full"])


def test_the_database_can_be_named(suite: pytest.Pytester, tmp_path: Path) -> None:
    write(suite, FLAKY)
    run(suite, *BAR, "--thresher-db", str(tmp_path / "nights.db"))
    assert (tmp_path / "nights.db").exists()
    assert not (suite.path / ".thresher-pytest.db").exists()


def test_options_come_from_the_configuration_file_and_the_command_line_wins(suite: pytest.Pytester) -> None:
    write(suite, FLAKY)
    suite.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        thresher_bar = "0.6"
        thresher_budget = "7"
        thresher_history = "build/tests.db"
        thresher_guarantee = "anytime"
        thresher_window = "30"
        """
    )
    (suite.path / "build").mkdir()
    run(suite).stdout.fnmatch_lines(["* of 7 reruns used.", "The history is in build/tests.db."])
    assert Campaign.open(f"sqlite:///{suite.path}/build/tests.db", "pytest").terms.guarantee == "anytime"
    run(suite, "--thresher-budget", "5").stdout.fnmatch_lines(["* of 5 reruns used."])
    for name, value, sentence in (
        ("bar", "1.5", "thresher_bar in *pyproject.toml: '1.5' must be a number between 0 and 1*"),
        ("guarantee", "magic", "thresher_guarantee in *: 'magic' must be one of calibrated, anytime, fdr, fwer*"),
        ("window", "-1", "thresher_window in *: '-1' must be a positive number of days*"),
    ):
        bar = "" if name == "bar" else "thresher_bar = '0.6'"
        suite.makepyprojecttoml(f"[tool.pytest.ini_options]\n{bar}\nthresher_{name} = '{value}'\n")
        done = run(suite)
        assert done.ret == pytest.ExitCode.USAGE_ERROR
        done.stderr.fnmatch_lines([f"*{sentence}"])


def test_the_history_is_a_campaign_database_with_the_decisions_of_the_last_session(suite: pytest.Pytester) -> None:
    write(suite, FLAKY + "\n@pytest.mark.thresher_bar(0.9)\n@pytest.mark.parametrize('x', [chr(10), 'y' * 600])\n"
          "def test_names(x):\n    pass\n")  # fmt: skip
    for words in (BAR, ["--thresher-bar", "0.7", "--thresher-budget", "9"], [*BAR, "-k", "good"]):
        done = run(suite, *words)
        rows = Campaign.open(f"sqlite:///{suite.path}/.thresher-pytest.db", "pytest").verdicts()
        shown = re.search(r"thresher: (\d+) pass, (\d+) fail, (\d+) undecided", done.stdout.str())
        assert shown is not None
        if "-k" not in words:
            decisions = [row.decision for row in rows]
            assert [*map(int, shown.groups())] == [decisions.count(each) for each in ("pass", "fail", "open")]
        assert len(rows) == 5
    Campaign.open(f"sqlite:///{suite.path}/.thresher-pytest.db", "pytest").verify()


def test_tests_that_were_removed_or_renamed_are_named_and_leave_the_table(suite: pytest.Pytester) -> None:
    write(suite, FLAKY)
    run(suite, *BAR)
    write(
        suite, FLAKY.replace("test_flaky", "test_renamed").replace("test_broken", "test_mended").replace("< 0", "> 0")
    )
    partial = run(suite, *BAR, "-k", "good")
    assert "not collected" not in partial.stdout.str()
    done = run(suite, *BAR)
    text = " ".join(done.stdout.str().split())
    assert "2 tests of the history were not collected, so removed or renamed: test_it.py::test_broken," in text
    assert "test_it.py::test_flaky. Their runs are kept for 90 days." in text
    rows = Campaign.open(f"sqlite:///{suite.path}/.thresher-pytest.db", "pytest").verdicts()
    assert {row.arm.partition("::")[2] for row in rows} == {"test_good", "test_renamed", "test_mended"}


def test_the_markdown_file_has_the_decisions(suite: pytest.Pytester) -> None:
    write(suite, FLAKY)
    run(suite, *BAR, "--thresher-markdown", "summary.md")
    text = (suite.path / "summary.md").read_text()
    assert re.match(r"### Tests: \d+ pass, \d+ fail, \d+ undecided\n\n\| Test \|", text)
    assert re.search(r"\| `test_it.py::test_broken` \| .* \| failed all 4 runs in this session \|", text)
    assert " of 30 reruns used." in text


def test_unittest_classes_and_setup_failures_are_rerun_as_pytest_runs_them(suite: pytest.Pytester) -> None:
    write(
        suite,
        """
import unittest

class TestIt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run_of("class")

    @classmethod
    def tearDownClass(cls):
        run_of("class_end")

    def setUp(self):
        if run_of("setup") == 1:
            raise RuntimeError("only once")

    def test_it(self):
        run_of("it")

    @unittest.skip("never")
    def test_skipped(self):
        pass

@pytest.fixture(scope="module")
def flaky_fixture():
    if run_of("fixture") == 1:
        raise RuntimeError("only once")

def test_with_fixture(flaky_fixture):
    run_of("with")
""",
    )
    done = run(suite, *BAR)
    done.assert_outcomes(passed=2, skipped=1)
    assert runs(suite, "setup") == runs(suite, "it") + 1
    assert runs(suite, "class") == runs(suite, "class_end")
    assert runs(suite, "with") > 2
