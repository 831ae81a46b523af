"""Verdicts from rows."""

import math
from typing import Any

import pytest

from thresher.campaign.ledger import Arm, Machine, Terms
from thresher.campaign.verdict_pipeline import judge
from thresher.errors import InvalidInputError, UnknownNameError
from thresher.inference import doubt, intervals
from thresher.inference.bars import bar_of
from thresher.number_text import NO_BREAK
from thresher.problem import Question, Statistics
from thresher.report import in_order
from thresher.report.decisions import about_mistakes

PULLS, HEADS = [40, 40, 6, 40, 0], [36, 4, 3, 22, 0]


def arms_of(machine: Machine) -> list[Arm]:
    arms = []
    for k, (pulls, heads) in enumerate(zip(PULLS, HEADS, strict=True)):
        squares = 0.25 * pulls
        arm = Arm(k, f"arm {k}", 0.5, 0.5, 1.0, 1_000_000, pulls, 0, float(heads), squares)
        arms.append(arm._replace(urgency=machine.sort_keys.of(arm)))
    return arms


def judged(**terms: float) -> list[tuple[str, bool, float]]:
    machine = Machine(Terms(family="bernoulli", **terms))  # type: ignore[arg-type]
    return [(row.verdict, row.proven, row.p_wrong) for row in judge(machine, arms_of(machine))]


def test_the_side_of_the_mean_and_its_chance_of_error() -> None:
    rows = judged()
    assert [row[0] for row in rows] == ["above", "below", "below", "above", "undecided"]
    assert [row[1] for row in rows] == [True, True, False, False, False]
    assert rows[4][2] == 0.5


def test_numbers_are_those_of_the_policy_package() -> None:
    machine = Machine(Terms(family="bernoulli", risk=0.01))
    rows = judge(machine, arms_of(machine))
    question = Question.of("bernoulli", thresholds=[0.5] * 5)
    seen = Statistics(*(list(map(float, column)) for column in (PULLS, HEADS, [0.25 * n for n in PULLS])))  # type: ignore[arg-type]
    doubts, limits = doubt(bar_of(question), seen), intervals(question, seen, alpha=0.01)
    chances = [doubts.above[0], doubts.below[1], doubts.below[2], doubts.above[3]]
    assert [row.p_wrong for row in rows[:4]] == [min(chance, 0.5) for chance in chances]
    assert [(row.valid_low, row.valid_high) for row in rows] == list(zip(limits.low, limits.high, strict=True))
    assert rows.expected_mistakes == pytest.approx(math.fsum(row.p_wrong for row in rows))


def test_a_question_is_checked_once_until_an_arm_or_a_term_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, check = list[Question](), Question.__post_init__

    def note(question: Question) -> None:
        checked.append(question)
        check(question)

    monkeypatch.setattr(Question, "__post_init__", note)
    machine = Machine(Terms(family="bernoulli", risk=0.0123))
    arms = arms_of(machine)

    def checks(arms: list[Arm], **given: Any) -> int:
        checked.clear()
        assert len(judge(machine, arms, **given)) == len(arms)
        return len(checked)

    moved = [arm._replace(pulls=arm.pulls + 1, total=arm.total + 1.0) for arm in arms]
    assert checks(arms) > 0
    assert [checks(arms), checks(moved)] == [0, 0]
    other = [*arms[:4], arms[4]._replace(threshold=0.4)]
    assert min(checks(arms[:4]), checks(other), checks(arms, risk=0.02)) > 0


def test_a_dear_false_pass_fails_what_is_doubtful() -> None:
    strict, lenient = judged(false_pass=1000.0), judged(false_fail=1000.0)
    assert [strict[0][0], strict[3][0]] == ["above", "below"]
    assert [lenient[1][0], lenient[2][0]] == ["below", "above"]


def test_abstaining_leaves_the_least_certain_open_and_adds_a_note() -> None:
    machine = Machine(Terms(family="bernoulli", abstain=0.1))
    rows = judge(machine, arms_of(machine))
    assert [row.verdict for row in rows] == ["above", "below", "undecided", "undecided", "undecided"]
    assert rows.notes == ("2 arm(s) are left undecided on purpose: their verdicts would be too uncertain",)
    assert rows.expected_mistakes == pytest.approx(rows[0].p_wrong + rows[1].p_wrong + 0.5)


def test_the_price_does_not_depend_on_the_policy_and_is_never_more_than_is_at_stake() -> None:
    prices = []
    for policy in ("stopping", "lsa"):
        machine = Machine(Terms(family="bernoulli", policy=policy))
        rows = judge(machine, arms_of(machine))
        assert all(0.0 <= row.price <= row.p_wrong for row in rows)
        prices.append([row.price for row in rows])
    assert prices[0] == prices[1]
    assert prices[0][4] == 0.5


def test_a_retired_arm_is_worth_no_measurement() -> None:
    machine = Machine(Terms(family="bernoulli"))
    arms = [arm._replace(retired=1, urgency=math.inf) for arm in arms_of(machine)]
    assert [row.price for row in judge(machine, arms)] == [0.0] * 5


def test_verdicts_go_into_frames_and_notebooks() -> None:
    machine = Machine(Terms(family="bernoulli"))
    arms = [arm._replace(name=f"<b>{arm.name}") for arm in arms_of(machine)]
    rows = judge(machine, arms)
    assert list(rows.to_frame()["pulls"]) == PULLS
    assert "&lt;b&gt;arm 0" in rows._repr_html_()
    assert "<b>arm" not in rows._repr_html_()
    assert (len(rows[1:3]), rows[-1].mean) == (2, None)
    lead, sure, blank, heads, *table = str(rows).splitlines()
    assert (f"{lead} {sure}", blank, heads.split()[:3]) == (rows.summary, "", ["arm", "decision", "mean"])
    assert [line.split("  ")[0] for line in table] == [row.arm for row in in_order(rows, "above")]


def test_decisions_follow_the_risk_the_guarantee_and_the_side_that_passes() -> None:
    machine = Machine(Terms(family="bernoulli"))
    arms = arms_of(machine)
    assert [row.decision for row in judge(machine, arms)] == ["pass", "fail", "open", "open", "open"]
    assert [row.decision for row in judge(machine, arms, passes="below")] == ["fail", "pass", "open", "open", "open"]
    assert judge(machine, arms, risk=1e-9).counts == {"pass": 0, "fail": 0, "open": 5, "proven": 0}
    for guarantee in ("anytime", "fdr", "fwer"):
        rows = judge(machine, arms, guarantee=guarantee)
        assert rows.counts == {"pass": 1, "fail": 1, "open": 3, "proven": 2}
    tolerant = judge(Machine(Terms(family="bernoulli", tolerance=0.2)), arms)
    assert tolerant[3].decision == "pass"
    assert [row.within for row in tolerant] == [False, False, True, True, False]
    assert not any(row.within for row in judge(machine, arms))
    assert tolerant.expected_mistakes < judge(machine, arms).expected_mistakes


def test_the_summary_says_what_is_decided_and_how_surely() -> None:
    machine = Machine(Terms(family="bernoulli"))
    rows = judge(machine, arms_of(machine))
    assert rows.summary == (
        "1 pass, 1 fail, 3 undecided (1 leaning pass, 1 too close to call, 1 not measured). Bar: above 0.5. "
        f"If you acted on all 5 now, expect {about_mistakes(rows.expected_mistakes)}. "
        f"Decided at a chance of error of at most 5{NO_BREAK}%."
    )
    below = judge(machine, arms_of(machine), passes="below", guarantee="fdr", risk=0.01, unit="ms").summary
    assert below.startswith("1 pass, 1 fail, 3 undecided")
    assert "Bar: at most 0.5 ms." in below
    assert below.endswith(f"Decided at a false discovery rate of at most 1{NO_BREAK}%.")


@pytest.mark.parametrize("terms", [{"risk": 1.0}, {"guarantee": "none"}, {"passes": "left"}, {"unit": "\n"}])
def test_terms_out_of_range_are_refused(terms: dict[str, Any]) -> None:
    machine = Machine(Terms(family="bernoulli"))
    with pytest.raises((InvalidInputError, UnknownNameError)):
        judge(machine, arms_of(machine), None, **terms)
