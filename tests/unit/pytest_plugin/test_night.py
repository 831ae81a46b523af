"""Reruns go where they change a verdict, second chances come first, and what fails every time never passes."""

import random
from itertools import takewhile

import pytest

from thresher.pytest_plugin.history import Past
from thresher.pytest_plugin.night import FOR_OTHERS, MORE_RUNS, SECOND_CHANCES, Judged, Night
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.tally import SURPRISE, Test, TestRun, surprise


def a_test(name: str, bar: float = 0.9, cost: float = 1.0, source: str = "s") -> Test:
    """Return a test."""
    return Test(name, bar, cost, source)


def spend(night: Night, rates: dict[str, float], seed: int = 0) -> list[str]:
    """Rerun until nothing is left; return what was rerun."""
    draw, names = random.Random(seed), []
    while (name := night.next()) is not None:
        names.append(name)
        night.rerun(name, TestRun(draw.random() < rates[name]))
    return names


def test_the_budget_is_spent_exactly() -> None:
    night = Night(budget=RerunBudget(20), past={})
    for name in "abc":
        night.first(a_test(name), TestRun(True))
    assert len(spend(night, dict.fromkeys("abc", 1.0))) == night.spent == night.budget == 20


def test_without_a_number_there_are_as_many_reruns_as_tests() -> None:
    night = Night(budget=RerunBudget(None), past={})
    for name in "abcd":
        night.first(a_test(name), TestRun(True))
    assert len(spend(night, dict.fromkeys("abcd", 1.0))) == 4


def test_what_failed_has_its_second_chances_before_anything_else() -> None:
    night = Night(budget=RerunBudget(30), past={})
    for name in "abcd":
        night.first(a_test(name), TestRun(name != "c"))
    assert spend(night, {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0})[:SECOND_CHANCES] == ["c"] * SECOND_CHANCES


def test_second_chances_end_with_the_first_pass() -> None:
    night = Night(budget=RerunBudget(1), past={})
    night.first(a_test("a", bar=0.4), TestRun(False))
    assert spend(night, {"a": 1.0}) == ["a"]
    assert [(each.decision, each.tally.runs, each.tally.failures) for each in night.judge()] == [("open", 2, 1)]


@pytest.mark.parametrize("past", [None, Past("s", 10_000, 0), Past("s", 3, 0)])
def test_what_fails_every_time_never_passes_whatever_the_past(past: Past | None) -> None:
    for reruns in (0, 1, 2, 50):
        night = Night(budget=RerunBudget(reruns), past={} if past is None else {"a": past})
        night.first(a_test("a"), TestRun(False))
        night.first(a_test("b"), TestRun(True))
        spend(night, {"a": 0.0, "b": 1.0})
        judged = {each.test.name: each for each in night.judge()}
        assert judged["a"].is_red
        assert not judged["b"].is_red


def test_the_past_counts_while_the_source_is_the_same() -> None:
    past = {"a": Past("s", 300, 0), "b": Past("old", 300, 0)}
    night = Night(budget=RerunBudget(4), past=past)
    for name in "ab":
        night.first(a_test(name), TestRun(True))
    assert spend(night, {"a": 1.0, "b": 1.0}) == ["b"] * 4  # 'a' is settled
    assert [None if each.tally.past is None else each.tally.past.runs for each in night.judge()] == [300, None]
    assert [each.verdict.pulls for each in night.judge()] == [301, 5]


def test_a_night_unlike_the_past_ends_it() -> None:
    night = Night(budget=RerunBudget(6), past={"a": Past("s", 1000, 0)})
    night.first(a_test("a"), TestRun(False))
    spend(night, {"a": 0.0})
    [judged] = night.judge()
    assert judged.tally.past is None
    assert judged.verdict.pulls == judged.tally.runs == 7


def test_one_failure_in_a_long_past_is_no_news() -> None:
    night = Night(budget=RerunBudget(1), past={"a": Past("s", 5000, 1)})
    night.first(a_test("a"), TestRun(False))
    spend(night, {"a": 1.0})
    [judged] = night.judge()
    assert judged.decision == "pass"
    assert judged.tally.past is not None


def test_a_rerun_without_an_outcome_takes_the_test_out() -> None:
    night = Night(budget=RerunBudget(5), past={})
    for name in "ab":
        night.first(a_test(name), TestRun(True))
    gone = night.next()
    assert gone is not None
    night.rerun(gone, None)
    other = {"a": "b", "b": "a"}[gone]
    assert set(spend(night, {"a": 1.0, "b": 1.0})) == {other}
    assert [each.test.name for each in night.judge()] == [other]


def test_tests_that_come_late_are_taken_in() -> None:
    night = Night(budget=RerunBudget(10), past={})
    night.first(a_test("a"), TestRun(True))
    assert night.next() == "a"
    night.first(a_test("b"), TestRun(False))
    assert night.next() == "b"
    night.rerun("a", TestRun(True))
    night.rerun("b", TestRun(False))
    assert len(spend(night, {"a": 1.0, "b": 0.0})) == 8


def test_a_costly_mistake_gets_more_reruns() -> None:
    night = Night(budget=RerunBudget(200), past={})
    for name in "ab":
        night.first(a_test(name, bar=0.7, cost=50.0 if name == "a" else 1.0), TestRun(True))
    names = spend(night, {"a": 0.8, "b": 0.8}, seed=1)
    assert names.count("a") > names.count("b")


def test_reruns_beat_uniform_ones() -> None:
    # 12 tests that always pass, 4 that pass in 0.6 and 4 in 0.95 of their runs, bar 0.85, 120 reruns; uniform ones give
    # each 7 runs. Over 130 nights ours made 0.50 mistakes and uniform ones 0.88, the difference with a standard
    # deviation of 1.1: over 60 nights of other seeds this would fail with a chance of 0.005.
    rates = {f"t{i}": 1.0 if i < 12 else 0.6 if i < 16 else 0.95 for i in range(20)}
    wrong, uniform = 0, 0
    for seed in range(60):
        draw = random.Random(1000 + seed)
        night = Night(budget=RerunBudget(120), past={})
        for name, rate in rates.items():
            night.first(a_test(name, bar=0.85), TestRun(draw.random() < rate))
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


def test_a_test_that_failed_tonight_is_rerun_until_it_is_decided() -> None:
    # The rest never fails: without the rule, reruns go to tests that are nearer to their bars.
    night = Night(budget=RerunBudget(100), past={})
    for name in "abcdefgh":
        night.first(a_test(name, bar=0.9), TestRun(name != "c"))
    names = spend(night, dict.fromkeys("abcdefgh", 1.0))
    assert len(list(takewhile(lambda name: name == "c", names))) > SECOND_CHANCES
    [judged] = [each for each in night.judge() if each.test.name == "c"]
    assert judged.decision == "pass"
    assert not judged.is_red


def test_suspects_leave_a_share_of_the_budget_to_the_others() -> None:
    night = Night(budget=RerunBudget(40), past={})
    for name in "abc":
        night.first(a_test(name, bar=0.5), TestRun(name != "c"))
    names, flip = [], 0
    while (chosen := night.next()) is not None:
        names.append(chosen)
        flip += chosen == "c"
        night.rerun(chosen, TestRun(bool(flip % 2) or chosen != "c"))  # 'c' stays at its bar
    assert names[:32] == ["c"] * (40 - 2 * FOR_OTHERS)
    assert set(names[32:]) & {"a", "b"}
    assert len(names) == 40


def test_a_test_that_is_red_by_its_past_is_rerun_until_it_fails() -> None:
    night = Night(budget=RerunBudget(20), past={"a": Past("s", 40, 20), "b": Past("s", 40, 0)})
    for name in "ab":
        night.first(a_test(name), TestRun(True))
    assert [night.next(), night.next()] == ["a", "a"]
    night.rerun("a", TestRun(True))
    night.rerun("a", TestRun(False))
    [red] = [each for each in night.judge() if each.is_red]
    assert red.test.name == "a"
    assert red.decision == "fail"


def test_an_open_test_that_failed_in_an_earlier_night_comes_before_those_that_never_failed() -> None:
    night = Night(budget=RerunBudget(8), past={"a": Past("s", 12, 1), "b": Past("s", 12, 0)})
    for name in "ba":
        night.first(a_test(name), TestRun(True))
    assert night.next() == "a"


@pytest.mark.parametrize(
    ("past", "passed", "decision", "is_red"),
    [
        (None, True, "open", False),
        (Past("s", 100, 0), True, "pass", False),
        (Past("s", 100, 50), True, "fail", True),
        (Past("s", 12, 1), True, "open", False),
    ],
)
def test_open_is_not_failed(past: Past | None, passed: bool, decision: str, is_red: bool) -> None:
    night = Night(budget=RerunBudget(0), past={} if past is None else {"a": past})
    night.first(a_test("a"), TestRun(passed))
    [judged] = night.judge()
    assert (judged.decision, judged.is_red) == (decision, is_red)


def test_a_test_that_failed_tonight_is_red_while_it_is_open_and_not_once_it_passes() -> None:
    for past, decision, is_red in ((Past("s", 12, 0), "open", True), (Past("s", 400, 3), "pass", False)):
        night = Night(budget=RerunBudget(1), past={"a": past})
        night.first(a_test("a"), TestRun(False))
        assert night.next() == "a"
        night.rerun("a", TestRun(True))
        [judged] = night.judge()
        assert (judged.decision, judged.is_red) == (decision, is_red)


def test_a_repaired_test_turns_green_by_the_passes_of_several_nights() -> None:
    # Of 100 runs 30 failed: 42 passes in a row are less likely than 10⁻⁵, whichever night they are in.
    assert surprise(Past("s", 100, 30), 41, 0) > SURPRISE > surprise(Past("s", 100, 30), 42, 0)
    past, nights = Past("s", 100, 30, failure="Traceback"), 0
    while True:
        night = Night(budget=RerunBudget(9), past={"a": past})
        night.first(a_test("a"), TestRun(True))
        spend(night, {"a": 1.0})
        [judged] = night.judge()
        [(_, tonight, goes_on)] = night.kept("2026-11-17")
        nights += 1
        if not goes_on:
            break
        assert judged.is_red
        past = Past("s", past.runs + tonight.runs, past.failures, past.streak + tonight.runs)
    assert nights == 5
    assert not judged.is_red
    assert (tonight.runs, tonight.failures, tonight.streak) == (50, 0, 50)


def outage(budget: int = 50, failing: int = 6, **given: bool) -> Night:
    """Return a night in which so many of ten tests that used to pass fail, and two new ones."""
    past = {name: Past("s", 60, 0) for name in "abcdefghij"}
    night = Night(budget=RerunBudget(budget), past=past, **given)
    for i, name in enumerate("abcdefghijxy"):
        night.first(a_test(name), TestRun(i >= failing and name not in "xy"))
    return night


def test_an_outage_changes_no_verdict_and_no_history() -> None:
    night = outage()
    assert night.is_outage
    assert night.next() is None
    judged = {each.test.name: each for each in night.judge()}
    assert [judged[name].decision for name in "ajx"] == ["pass", "pass", "open"]
    assert [judged[name].is_red for name in "ajx"] == [True, False, True]  # what failed is not green
    assert night.kept("2026-11-17") == []


def test_an_outage_counts_if_asked_for() -> None:
    night = outage(count_outage=True)
    assert not night.is_outage
    assert night.next() == "a"
    assert len(night.kept("2026-11-17")) == 12


@pytest.mark.parametrize("failing", [0, 5])
def test_a_night_with_at_most_half_of_the_known_tests_failing_is_not_an_outage(failing: int) -> None:
    assert not outage(failing=failing).is_outage


def test_a_first_night_is_never_an_outage() -> None:
    night = Night(budget=RerunBudget(50), past={})
    for name in "abcdefghij":
        night.first(a_test(name), TestRun(False))
    assert not night.is_outage


def test_a_budget_in_seconds_pays_by_duration() -> None:
    # Both are equally doubtful, so that the cheap one is rerun more; what a rerun really took is charged.
    night = Night(budget=RerunBudget(20.0, is_time=True), past={})
    for name, seconds in (("slow", 4.0), ("fast", 0.5)):
        night.first(a_test(name, bar=0.7), TestRun(True, seconds))
    names = []
    while (chosen := night.next()) is not None:
        names.append(chosen)
        night.rerun(chosen, TestRun(True, 4.0 if chosen == "slow" else 0.5))
    assert names.count("fast") > names.count("slow")
    assert 19.5 < night.spent <= 20.0
    assert night.account == "20 of 20 s of reruns used"


def test_a_test_that_is_too_long_for_the_rest_of_the_budget_leaves_it_to_the_others() -> None:
    night = Night(budget=RerunBudget(3.0, is_time=True), past={})
    for name, seconds in (("long", 10.0), ("short", 1.0)):
        night.first(a_test(name, bar=0.7, cost=1e6 if name == "long" else 1.0), TestRun(True, seconds))
    names = []
    while (chosen := night.next()) is not None:
        names.append(chosen)
        night.rerun(chosen, TestRun(True, 1.0))
    assert names == ["short"] * 3


@pytest.mark.parametrize(("name", "failures", "decision"), [("a", 0, "pass"), ("b", 4, "fail")])
def test_more_runs_decide_a_test_as_foretold(name: str, failures: int, decision: str) -> None:
    def judged(more: int, failed: int) -> tuple[Night, Judged]:
        """Return the night after more runs of the test, some of which failed, and the verdict on it."""
        past = {"a": Past("s", 20, 0), "b": Past("s", 20, 4)} | {name: Past("s", 20 + more, failures + failed)}
        night = Night(budget=RerunBudget(0), past=past)
        for each in "ab":
            night.first(a_test(each), TestRun(True))
        return night, next(each for each in night.judge() if each.test.name == name)

    night, now = judged(0, 0)
    assert now.decision == "open"
    more = night.more_runs([now])[name]
    assert judged(more, round(more * failures / 21))[1].decision == decision
    fewer = MORE_RUNS[MORE_RUNS.index(more) - 1]
    assert judged(fewer, round(fewer * failures / 21))[1].decision == "open"
