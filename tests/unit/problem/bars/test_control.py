"""A control as the bar: where the bar is, what is refused, and how problems and files carry it."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError, ThresherError, UnknownNameError
from thresher.problem import Population, Problem, Question, find_problem, from_dict
from thresher.problem.bars import Control, control_of

ARMS = ("today", "a", "b")


@pytest.mark.parametrize(
    ("margin", "ratio", "shift", "shown"),
    [
        (0.0, 1.0, 0.0, "+0"),
        (-0.01, 1.0, -0.01, "-0.01"),
        ("-0.01", 1.0, -0.01, "-0.01"),
        ("-2%", 0.98, 0.0, "-2%"),
        ("+5 %", 1.05, 0.0, "+5%"),
        (np.float64(0.25), 1.0, 0.25, "+0.25"),
    ],
)
def test_a_margin_is_a_number_or_per_cent_of_the_control(margin: Any, ratio: float, shift: float, shown: str) -> None:
    found = control_of("a", margin, ARMS)
    assert (found.arm, found.margin) == (1, shift)
    assert found.ratio == pytest.approx(ratio)
    assert found.shown == shown
    assert found.bar(0.5) == pytest.approx(ratio * 0.5 + shift)


@pytest.mark.parametrize("margin", ["two", "%", "2%%", "nan", True, None, float("inf"), "-100%", "-250%", [0.1]])
def test_a_margin_that_cannot_be_read_is_refused(margin: Any) -> None:
    with pytest.raises(InvalidInputError, match="margin"):
        control_of("a", margin, ARMS)


@pytest.mark.parametrize("control", [3, -1, 1.0, True, None, ["a"]])
def test_a_control_that_is_not_an_arm_is_refused(control: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"must be the name of an arm, or its place from 0 to 2"):
        control_of(control, 0.0, ARMS)


def test_a_misspelt_control_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="today"):
        control_of("todai", 0.0, ARMS)


def test_one_arm_cannot_be_compared_with_itself() -> None:
    with pytest.raises(InvalidInputError, match="at least 2"):
        Problem.gaussian([0.5], control=0)


def test_the_bar_is_the_mean_of_the_control_with_the_margin() -> None:
    problem = Problem.gaussian([0.3, 0.5, 0.2, 0.25], control=0, margin=-0.05)
    assert problem.bars.tolist() == pytest.approx([0.25] * 4)
    assert problem.is_above[1:].tolist() == [True, False, False]
    assert problem.question.judged.tolist() == [1, 2, 3]
    assert problem.notes == ["1 arm(s) sit exactly on the bar (4): their mistakes count for nothing"]
    assert problem.summary() == {
        "name": "problem", "family": "gaussian", "arms": 4, "control": "1", "margin": "-0.05",
    }  # fmt: skip


def test_a_relative_margin_moves_with_the_control() -> None:
    problem = Problem.bernoulli([0.2, 0.19, 0.197], control=0, margin="-2%")
    assert problem.bars.tolist() == pytest.approx([0.196] * 3)
    assert problem.is_above[1:].tolist() == [False, True]


def test_the_bar_of_rates_must_be_one_that_a_rate_can_have() -> None:
    with pytest.raises(InvalidInputError, match=r"margin is '\+0\.3'.*between 0 and 1.*it is at 1\.1"):
        Problem.bernoulli([0.8, 0.5], control=0, margin=0.3)
    with pytest.raises(InvalidInputError, match=r"it is at -0\.1"):
        Problem.bernoulli([0.1, 0.5], control=0, margin=-0.2)
    with pytest.raises(InvalidInputError, match=r"it is at 1\.2"):
        Problem.bernoulli([0.8, 0.5], control=0, margin="50%")
    with pytest.raises(InvalidInputError, match="between -1 and 1"):
        Question.of("bernoulli", arms=ARMS, control="a", margin=-1.0)
    with pytest.raises(InvalidInputError, match="between -3 and 3"):
        Question.of("bounded", arms=ARMS, control="a", margin=3.0, low=-1.0, high=2.0)


def test_thresholds_and_a_control_exclude_each_other() -> None:
    with pytest.raises(InvalidInputError, match="left out with a control"):
        Problem.gaussian([0.1, 0.2], 0.0, control=0)
    with pytest.raises(InvalidInputError, match="must come with a control"):
        Problem.gaussian([0.1, 0.2], margin=0.1)
    with pytest.raises(InvalidInputError, match="thresholds or a control"):
        Question.of("gaussian", arms=ARMS)
    with pytest.raises(InvalidInputError, match="thresholds or a control"):
        Problem.replay({"a": [1.0], "b": [0.0]})
    with pytest.raises(InvalidInputError, match="thresholds or a control"):
        Problem.crossed([[1.0], [0.0]])


def test_the_toy_has_no_control() -> None:
    with pytest.raises(InvalidInputError, match="two-point"):
        Problem.two_point([0.1, 0.2]).with_control(0)


def test_a_question_travels_with_its_control() -> None:
    question = Question.of("bernoulli", arms=ARMS, control="b", margin="-2%")
    again = pickle.loads(pickle.dumps(question))
    assert again.control == question.control == Control(2, 0.98, 0.0)


def test_control_and_margin_are_part_of_the_fingerprint() -> None:
    plain = Problem.gaussian([0.1, 0.2, 0.3])
    others = [plain.with_control(0), plain.with_control(1), plain.with_control(0, 0.1), plain.with_control(0, "1%")]
    assert len({each.fingerprint() for each in [plain, *others]}) == 5
    assert (
        plain.with_control("1", 0.1).fingerprint()
        == Problem.gaussian([0.1, 0.2, 0.3], control=0, margin=0.1).fingerprint()
    )


def test_a_known_bar_leaves_the_control_out() -> None:
    problem = Problem.gaussian([0.3, 0.5, 0.2], control=0, margin=0.1, sigma=[1.0, 2.0, 3.0], costs=[9.0, 1.0, 2.0])
    known = problem.known_bar()
    assert known.arms == ("2", "3")
    assert known.thresholds.tolist() == pytest.approx([0.4, 0.4])
    assert (known.means.tolist(), known.sigma.tolist(), known.costs.tolist()) == ([0.5, 0.2], [2.0, 3.0], [1.0, 2.0])
    assert known.known_bar() is known
    with pytest.raises(InvalidInputError, match="means alone"):
        Problem.replay({"a": [1.0, 0.0], "b": [0.0]}, control="a").known_bar()


def test_with_a_population_the_mean_of_the_control_is_the_given_one() -> None:
    import thresher as th

    # The arms are drawn far above, so that each verdict is right only if the control is where it was put.
    means = np.array([-50.0, 0.0, 0.0])
    problem = Problem.gaussian(means, control=0, population=Population("gaussian", 0.0, 1.0))
    assert th.simulate(problem, "uniform", budgets=[6], runs=20).rows()[0].mean == 0.0


# Files


def test_json_toml_and_python_agree(tmp_path: Path) -> None:
    table = {"family": "bernoulli", "means": [0.1, 0.2], "arms": ["today", "new"], "control": "today", "margin": "-2%"}
    (tmp_path / "p.json").write_text(json.dumps(table))
    (tmp_path / "p.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items()))
    made = Problem.bernoulli([0.1, 0.2], arms=["today", "new"], control=0, margin="-2%")
    for name in ("p.json", "p.toml"):
        assert find_problem(str(tmp_path / name)).fingerprint() == made.fingerprint()
    assert from_dict(table).fingerprint() == made.fingerprint()
    other = find_problem(str(tmp_path / "p.json"), margin="0.01")
    assert other.control == Control(0, 1.0, 0.01)
    assert find_problem(str(tmp_path / "p.json"), control="new").control == Control(
        1, 0.98, 0.0
    )  # the margin of the file stays


def test_tables_take_a_control_next_to_them(tmp_path: Path) -> None:
    arms = tmp_path / "arms.csv"
    arms.write_text("arm,mean\ntoday,0.1\nnew,0.3\n")
    assert find_problem(str(arms), control="today", margin="0.1").control == Control(0, 1.0, 0.1)
    assert find_problem(f"{arms}:control=today,margin=-2%").control == Control(0, 0.98, 0.0)
    arms.write_text("arm,mean,family\ntoday,0.1,bernoulli\nnew,0.3,bernoulli\n")
    assert find_problem(arms, control="today").bars.tolist() == [0.1, 0.1]
    samples = tmp_path / "samples.csv"
    samples.write_text("arm,value\ntoday,0\ntoday,1\nnew,1\nnew,1\n")
    found = find_problem(samples, control="today")
    assert (found.control, found.bars.tolist()) == (Control(0), [0.5, 0.5])
    crossed = tmp_path / "crossed.csv"
    crossed.write_text("arm,item,value\ntoday,i,0\ntoday,j,1\nnew,i,1\nnew,j,1\n")
    assert find_problem(crossed, control="today").bars.tolist() == [0.5, 0.5]


def test_bad_controls_of_files_are_refused(tmp_path: Path) -> None:
    arms = tmp_path / "arms.csv"
    arms.write_text("arm,mean\ntoday,0.1\nnew,0.3\n")
    for control, margin, said in (
        ("old", None, "old"),
        (None, "0.1", "must come with a control"),
        ("new", "x", "margin"),
    ):
        with pytest.raises(ThresherError, match=said):
            find_problem(arms, control=control, margin=margin)
    with pytest.raises(InvalidInputError, match="left out with a control"):
        from_dict({"means": [0.0, 1.0], "thresholds": 0.5, "control": 0})


def test_a_named_problem_takes_a_control() -> None:
    assert find_problem("linear:K=4", control="2").control == Control(1)
    assert find_problem(Problem.gaussian([0.0, 1.0]), control="2").control == Control(1)
