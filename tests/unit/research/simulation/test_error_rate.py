"""Policies that stop by themselves at an error rate, through a whole simulation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from thresher.errors import ExperimentError, InvalidInputError
from thresher.policy.registry import ALGORITHMS
from thresher.problem import Population, Problem
from thresher.research.engine.options import PULLS_PER_ARM
from thresher.research.simulation import Interrupted, Result, job, simulate

PROBLEM = Problem.gaussian([0.8, -0.6, 0.5, -1.0])
RUNS, ALPHA = 1000, 0.05


def quick(policies: Any = ("hdoc", "apt-g"), **options: Any) -> Result:
    """Return a small simulation."""
    return simulate(PROBLEM, policies, **({"alpha": 0.1, "runs": 20, "seed": 1} | options))


def test_a_row_does_not_change_with_other_policies_or_with_who_works() -> None:
    alone, together = quick(["apt-g"]).rows()[0], quick(["hdoc", "apt-g"], workers=2).rows()[1]
    assert alone == together


def test_quartiles_and_errors_by_hand() -> None:
    result = quick(["hdoc"], runs=4)
    times, (row,) = result.spent("hdoc"), result.rows()
    assert times.shape == (4, 1)
    assert row.spent == times.mean()
    assert row.spent_stderr == pytest.approx(times.std(ddof=1) / 2.0)
    assert (row.spent_q25, row.spent_median, row.spent_q75) == tuple(np.quantile(times, [0.25, 0.5, 0.75]))
    assert result.pulls("hdoc").sum() == pytest.approx(times.mean())
    first, second = result.outputs("hdoc")[:2]
    assert first.runs == 4
    assert first.mean < second.mean < row.spent
    assert row.outputs == result.outputs("hdoc")


def test_the_loss_is_what_the_policy_promises() -> None:
    rows = quick(["hdoc", "jj-fdr", "jj-fwer"]).rows()
    assert [row.loss for row in rows] == ["any mistake", "share of false outputs", "any false output"]
    assert all((row.recommend, row.any_mistake, row.total) == ("final", None, None) for row in rows)


def test_an_output_that_some_runs_lack_is_averaged_over_the_others() -> None:
    problem = Problem.gaussian(np.zeros(3), population=Population("gaussian", 0.0, 3.0))
    outputs = simulate(problem, "hdoc", alpha=0.1, runs=40, budgets=3_000).outputs("hdoc")
    assert [each.nth for each in outputs] == [1, 2, 3]
    assert 40 > outputs[0].runs > outputs[1].runs > outputs[2].runs > 0


def test_runs_at_the_most_pulls_are_counted() -> None:
    (row,) = quick(["hdoc"], budgets=60).rows()
    assert row.stopped == 0.0
    assert row.spent == 60.0
    assert row.budget == 60


def test_the_default_policy_is_hdoc_and_a_run_has_at_most_a_million_pulls() -> None:
    (row,) = quick(None, runs=2).rows()
    assert (row.policy, row.budget) == ("hdoc", 1_000_000)


def test_what_is_printed_is_one_document() -> None:
    document = json.loads(quick().to_json())
    assert set(document) == {"problem", "runs", "seed", "alpha", "results", "notes", "about"}
    assert document["alpha"] == 0.1
    row = document["results"][0]
    assert {"policy", "budget", "loss", "mean", "stderr", "q25", "median", "q75"} <= set(row)
    assert {"spent", "spent_stderr", "spent_q25", "spent_median", "spent_q75", "stopped", "outputs"} <= set(row)
    assert not {"any_mistake", "total"} & set(row)
    assert set(row["outputs"][0]) == {"nth", "runs", "mean", "stderr"}
    assert "alpha" not in simulate(PROBLEM, "lsa", budgets=8, runs=1).to_dict()


# Kept and interrupted


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work into chunks of five runs."""
    monkeypatch.setattr(job, "PULLS_PER_CHUNK", 5 * PULLS_PER_ARM * PROBLEM.n_arms)


def test_finished_runs_are_kept_and_read_back(tmp_path: Path) -> None:
    out = tmp_path / "times.db"
    first = quick(["hdoc"], out=out)
    again = quick(["hdoc", "apt-g"], out=out)
    assert first.spent("hdoc").tolist() == again.spent("hdoc").tolist()
    assert first.rows()[0] == again.rows()[0]
    for wrong, difference in (({"alpha": 0.2}, "alpha"), ({"budgets": 500}, "budgets"), ({"seed": 2}, "seed")):
        with pytest.raises(ExperimentError, match=rf"another experiment \(other {difference}\)"):
            quick(["hdoc"], out=out, **wrong)
    with pytest.raises(ExperimentError, match=r"\(other alpha, budgets\)"):
        simulate(PROBLEM, "lsa", budgets=8, runs=20, seed=1, out=out)


def interrupting(at: int) -> Callable[[int, int], None]:
    """Return a progress callback that presses Ctrl-C after this many chunks."""

    def progress(done: int, whole: int) -> None:
        assert whole == 8
        if done == at:
            raise KeyboardInterrupt

    return progress


def test_what_was_done_when_ctrl_c_came_is_given_and_goes_on_from_its_file(small_chunks: None, tmp_path: Path) -> None:
    out = tmp_path / "times.db"
    with pytest.raises(Interrupted) as caught:
        quick(progress=interrupting(5), workers=1, out=out)
    result = caught.value.result
    assert result is not None
    # Five chunks are two rounds of the two policies, five runs each.
    assert result.runs == 10
    assert result.rows() == quick(runs=10).rows()
    remaining: list[int] = []
    resumed = quick(progress=lambda done, _: remaining.append(done), out=out)
    assert remaining[0] == 5
    assert resumed.rows() == quick().rows()


def test_nothing_is_given_before_every_policy_has_finished_some_runs(small_chunks: None) -> None:
    with pytest.raises(Interrupted) as caught:
        quick(progress=interrupting(1), workers=1)
    assert caught.value.result is None


# What cannot be asked


def test_policies_with_a_budget_are_refused_and_so_are_the_others_without() -> None:
    with pytest.raises(
        InvalidInputError, match=r"policy is 'lsa'; .*; give budgets \(--budget\) .* one of hdoc, lucb-g, "
    ):
        quick(["hdoc", "lsa"])
    with pytest.raises(InvalidInputError, match=r"policy is 'hdoc'; it stops .*alpha=0.05 \(--alpha 0.05\)"):
        simulate(PROBLEM, ["hdoc"], budgets=[100], runs=1)
    with pytest.raises(InvalidInputError, match=r"budget is missing; .*; give budgets=\[…\], or alpha=0.05"):
        simulate(PROBLEM, ["hdoc"], runs=1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"policies": []}, "at least one is needed"),
        ({"runs": 0}, "runs is 0; must be a whole number, at least 1"),
        ({"runs": 2.5}, "runs is 2.5; must be a whole number"),
        ({"policies": 5}, "policy is 5; must be a name"),
        ({"budgets": 10.5}, r"budgets is \[10.5\]; must be one whole number with alpha=0.1: the most pulls of a run"),
        ({"budgets": [10, 20]}, r"budgets is \[10.0, 20.0\]; must be one whole number with alpha=0.1"),
        ({"budgets": 3}, "must be at least 4: every arm is pulled first"),
        ({"seed": -1}, "whole number"),
        ({"alpha": 0.0}, r"alpha is 0; must be an error rate between 0 and 1 \(exclusive\)"),
        ({"alpha": 1.0}, "alpha is 1; must be an error rate"),
        ({"alpha": 1.5}, "alpha is 1.5; must be an error rate"),
        ({"alpha": float("nan")}, "alpha is nan; must be an error rate"),
        ({"alpha": "0.05"}, "alpha is '0.05'; must be an error rate"),
        ({"loss": "gaps"}, r"loss is 'gaps'; must not be given with alpha=0.1: .*; leave loss \(--loss\) out"),
        ({"recommend": "peak"}, r"leave recommend \(--recommend\) out"),
        ({"tolerance": 0.1}, r"leave tolerance \(--tolerance\) out"),
        ({"stop_price": 0.1}, r"leave stop_price \(--stop-price\) out"),
        ({"in_flight": 2}, r"leave in_flight \(--in-flight\) out"),
        ({"delays": "random"}, r"leave delays \(--delays\) out"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        quick(**options)


# Promises

# What is promised: an error of at most α. A rule whose chance of an error were exactly α would have more errors than
# this in one of 1e6 tests; the rules are far below. Means next to the bar are where a rule that is too bold errs most.
MOST_ERRORS = int(binom.ppf(1.0 - 1e-6, RUNS, ALPHA))
GOOD_ARMS = ["hdoc", "glr-apt", "lil-hdoc:first=1"]  # LUCB-G and APT-G err where HDoC does: an arm is judged by itself


@pytest.mark.parametrize("name", GOOD_ARMS)
def test_no_arm_is_misjudged_more_often_than_promised(name: str) -> None:
    problem = Problem.gaussian([0.01, -0.01, 0.01, -0.01])
    (row,) = simulate(problem, name, alpha=ALPHA, runs=RUNS, budgets=3_000, seed=3).rows()
    assert row.mean * RUNS <= MOST_ERRORS


@pytest.mark.by_day("means0-sticky-tas", "means1-murphy")
@pytest.mark.parametrize("name", ["murphy", "sticky-tas"])
@pytest.mark.parametrize("means", [[-0.01, -0.01, -0.01], [0.01, -0.3, -0.3]])
def test_the_answer_is_wrong_no_more_often_than_promised(name: str, means: list[float]) -> None:
    (row,) = simulate(Problem.gaussian(means), name, alpha=ALPHA, runs=RUNS, budgets=3_000, seed=5).rows()
    assert row.mean * RUNS <= MOST_ERRORS


@pytest.mark.parametrize("name", ["hdoc", "lil-hdoc:first=20", "murphy", "sticky-tas"])
def test_where_arms_are_far_from_the_bar_every_run_stops_and_almost_none_is_wrong(name: str) -> None:
    problem = Problem.gaussian([0.4, -0.4, 0.5, -0.5])
    (row,) = simulate(problem, name, alpha=ALPHA, runs=200, seed=3).rows()
    assert row.stopped == 1.0
    assert row.mean * 200 <= binom.ppf(1.0 - 1e-6, 200, ALPHA)


@pytest.mark.parametrize("name", ["jj-fdr", "jj-fwer", "jj-fdr:find=all"])
def test_few_outputs_are_false(name: str) -> None:
    # Seven hypotheses on the bar itself, the hardest to tell; three arms above.
    problem = Problem.gaussian([0.0] * 7 + [0.5, 0.5, 0.7])
    (row,) = simulate(problem, name, alpha=ALPHA, runs=RUNS, seed=7).rows()
    assert row.stopped == 1.0
    # A share is at most 1, so that its mean varies no more than that of errors which are 0 or 1.
    assert row.mean * RUNS <= MOST_ERRORS


@pytest.mark.by_day("jj-fwer")
@pytest.mark.parametrize("name", ["jj-fdr", "jj-fwer"])
def test_where_nothing_is_above_the_bar_nothing_is_output_for_long(name: str) -> None:
    problem = Problem.gaussian([0.0] * 5)
    (row,) = simulate(problem, name, alpha=ALPHA, runs=RUNS, budgets=3_000, seed=8).rows()
    assert row.stopped == 0.0
    assert row.mean * RUNS <= MOST_ERRORS


def test_every_rule_is_held_to_its_promise_above() -> None:
    tried = {name.partition(":")[0] for name in [*GOOD_ARMS, "murphy", "sticky-tas", "jj-fdr", "jj-fwer"]}
    assert tried | {"lucb-g", "apt-g"} == {name for name, algorithm in ALGORITHMS.items() if algorithm.traits.stops}
