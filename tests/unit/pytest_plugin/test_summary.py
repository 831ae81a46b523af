"""What a session found, in lines."""

from tests.unit.pytest_plugin.test_night import a_test, spend
from thresher.pytest_plugin.night import Night
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.summary import Summary
from thresher.pytest_plugin.tally import TestRun


def test_a_sign_stays_on_the_line_of_its_decision() -> None:
    night = Night(budget=RerunBudget(60), records={})
    night.first(a_test("test_suite.py::test_race"), TestRun(False))
    night.first(a_test("test_suite.py::test_sound"), TestRun(True))
    spend(night, {"test_suite.py::test_race": 0.5, "test_suite.py::test_sound": 1.0})
    summary = Summary(night.judge(), night, notes=())
    for width in range(40, 120):
        lines = list(summary.lines(width))
        assert max(map(len, lines)) <= width
        assert [line for line in lines if line.endswith("✘")] == []
        assert "✘ fail" in "\n".join(lines)
