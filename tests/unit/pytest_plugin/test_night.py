"""Reruns go where they change a verdict, second chances come first, and what fails every time never passes."""

import random

import pytest

from thresher.pytest_plugin.history import Past
from thresher.pytest_plugin.night import SECOND_CHANCES, Night, Test, surprise


def a_test(name: str, bar: float = 0.9, cost: float = 1.0, source: str = "s") -> Test:
    """Return a test."""
    return Test(name, bar, cost, source)


def spend(night: Night, rates: dict[str, float], seed: int = 0) -> list[str]:
    """Rerun until nothing is left; return what was rerun."""
    draw, names = random.Random(seed), []
    while (name := night.next()) is not None:
        names.append(name)
        night.rerun(name, passed=draw.random() < rates[name])
    return names


def test_the_budget_is_spent_exactly() -> None:
    night = Night(reruns=20, past={})
    for name in "abc":
        night.first(a_test(name), passed=True)
    assert len(spend(night, dict.fromkeys("abc", 1.0))) == night.spent == night.budget == 20


def test_without_a_number_there_are_as_many_reruns_as_tests() -> None:
    night = Night(reruns=None, past={})
    for name in "abcd":
        night.first(a_test(name), passed=True)
    assert len(spend(night, dict.fromkeys("abcd", 1.0))) == 4


def test_what_failed_has_its_second_chances_before_anything_else() -> None:
    night = Night(reruns=30, past={})
    for name in "abcd":
        night.first(a_test(name), passed=name != "c")
    assert spend(night, {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0})[:SECOND_CHANCES] == ["c"] * SECOND_CHANCES


def test_second_chances_end_with_the_first_pass() -> None:
    night = Night(reruns=1, past={})
    night.first(a_test("a", bar=0.4), passed=False)
    assert spend(night, {"a": 1.0}) == ["a"]
    assert [(each.decision, each.runs, each.failures) for each in night.judge()] == [("open", 2, 1)]


@pytest.mark.parametrize("past", [None, Past("s", 10_000, 0), Past("s", 3, 0)])
def test_what_fails_every_time_never_passes_whatever_the_past(past: Past | None) -> None:
    for reruns in (0, 1, 2, 50):
        night = Night(reruns=reruns, past={} if past is None else {"a": past})
        night.first(a_test("a"), passed=False)
        night.first(a_test("b"), passed=True)
        spend(night, {"a": 0.0, "b": 1.0})
        judged = {each.test.name: each for each in night.judge()}
        assert judged["a"].fails
        assert not judged["b"].fails


def test_the_past_counts_while_the_source_is_the_same() -> None:
    past = {"a": Past("s", 300, 0), "b": Past("old", 300, 0)}
    night = Night(reruns=4, past=past)
    for name in "ab":
        night.first(a_test(name), passed=True)
    assert spend(night, {"a": 1.0, "b": 1.0}) == ["b"] * 4  # 'a' is settled
    assert [None if each.past is None else each.past.runs for each in night.judge()] == [300, None]
    assert [each.verdict.pulls for each in night.judge()] == [301, 5]


def test_a_night_unlike_the_past_ends_it() -> None:
    night = Night(reruns=6, past={"a": Past("s", 1000, 0)})
    night.first(a_test("a"), passed=False)
    spend(night, {"a": 0.0})
    [judged] = night.judge()
    assert judged.past is None
    assert judged.verdict.pulls == judged.runs == 7


def test_one_failure_in_a_long_past_is_no_news() -> None:
    night = Night(reruns=1, past={"a": Past("s", 5000, 1)})
    night.first(a_test("a"), passed=False)
    spend(night, {"a": 1.0})
    [judged] = night.judge()
    assert judged.decision == "pass"
    assert judged.past is not None


def test_a_rerun_without_an_outcome_takes_the_test_out() -> None:
    night = Night(reruns=5, past={})
    for name in "ab":
        night.first(a_test(name), passed=True)
    gone = night.next()
    assert gone is not None
    night.rerun(gone, passed=None)
    other = {"a": "b", "b": "a"}[gone]
    assert set(spend(night, {"a": 1.0, "b": 1.0})) == {other}
    assert [each.test.name for each in night.judge()] == [other]


def test_tests_that_come_late_are_taken_in() -> None:
    night = Night(reruns=10, past={})
    night.first(a_test("a"), passed=True)
    assert night.next() == "a"
    night.first(a_test("b"), passed=False)
    assert night.next() == "b"
    night.rerun("a", passed=True)
    night.rerun("b", passed=False)
    assert len(spend(night, {"a": 1.0, "b": 0.0})) == 8


def test_a_costly_mistake_gets_more_reruns() -> None:
    night = Night(reruns=200, past={})
    for name in "ab":
        night.first(a_test(name, bar=0.7, cost=50.0 if name == "a" else 1.0), passed=True)
    names = spend(night, {"a": 0.8, "b": 0.8}, seed=1)
    assert names.count("a") > names.count("b")


def test_reruns_beat_uniform_ones() -> None:
    # 12 tests that always pass, 4 that pass in 0.6 and 4 in 0.95 of their runs, bar 0.85, 120 reruns; uniform ones give
    # each 7 runs. Over 400 nights ours made 0.38 mistakes and uniform ones 0.85, the difference with a standard
    # deviation of 1.05: over 40 nights of other luck this would fail with a chance of 0.002.
    rates = {f"t{i}": 1.0 if i < 12 else 0.6 if i < 16 else 0.95 for i in range(20)}
    wrong, uniform = 0, 0
    for seed in range(40):
        draw = random.Random(1000 + seed)
        night = Night(reruns=120, past={})
        for name, rate in rates.items():
            night.first(a_test(name, bar=0.85), passed=draw.random() < rate)
        spend(night, rates, seed)
        wrong += sum((each.verdict.verdict == "above") != (rates[each.test.name] > 0.85) for each in night.judge())
        for rate in rates.values():
            passes = sum(draw.random() < rate for _ in range(7))
            uniform += (passes > 0.85 * 7) != (rate > 0.85)
    assert wrong < uniform


def test_surprise_worked_by_hand() -> None:
    # After no failure in one run the failure rate has density 2(1 - p): one run fails with chance 1/3.
    assert surprise(Past("s", 1, 0), 1, 1) == pytest.approx(2 / 3)
    assert surprise(Past("s", 1, 0), 1, 0) == 1.0
    # 2 of 2 after 0 of 98: (1 · 2) / (100 · 101)
    assert surprise(Past("s", 98, 0), 2, 2) == pytest.approx(2 * 2 / (100 * 101))
