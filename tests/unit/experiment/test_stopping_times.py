import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from thresher.errors import ExperimentError, InvalidProblemError
from thresher.experiment import StoppingTimes, simulate, stopping_times
from thresher.policy.fixed_confidence import CONFIDENCE
from thresher.problem import Population, Problem

PROBLEM = Problem.gaussian([0.8, -0.6, 0.5, -1.0])
RUNS, DELTA = 1000, 0.05


def quick(policies: object = ("hdoc", "apt-g"), **options: object) -> StoppingTimes:
    """Return a small simulation."""
    return stopping_times(PROBLEM, policies, **({"confidence": 0.1, "runs": 20, "seed": 1} | options))  # type: ignore[arg-type]


def test_a_row_does_not_change_with_what_stands_beside_it_or_who_works() -> None:
    alone, beside = quick(["apt-g"]).rows()[0], quick(["hdoc", "apt-g"], workers=2).rows()[1]
    assert alone == beside


def test_quartiles_and_errors_by_hand() -> None:
    result = quick(["hdoc"], runs=4)
    times, (row,) = result.times("hdoc"), result.rows()
    assert row.mean == times.mean()
    assert row.stderr == pytest.approx(times.std(ddof=1) / 2.0)
    assert (row.q25, row.median, row.q75) == tuple(np.quantile(times, [0.25, 0.5, 0.75]))
    assert result.pulls("hdoc").sum() == pytest.approx(times.mean())
    assert row.outputs[0].runs == 4
    assert row.outputs[0].mean < row.outputs[1].mean < row.mean


def test_an_output_that_some_runs_lack_is_averaged_over_the_others() -> None:
    problem = Problem.gaussian(np.zeros(3), population=Population("gaussian", 0.0, 3.0))
    outputs = stopping_times(problem, "hdoc", confidence=0.1, runs=40, most_pulls=3_000).outputs("hdoc")
    assert [each.nth for each in outputs] == [1, 2, 3]
    assert 40 > outputs[0].runs > outputs[1].runs > outputs[2].runs > 0


def test_runs_at_the_most_pulls_are_counted() -> None:
    (row,) = quick(["hdoc"], most_pulls=60).rows()
    assert row.capped == 1.0
    assert row.mean == 60.0
    assert row.budget == 60


def test_what_is_printed_is_one_document(tmp_path: Path) -> None:
    document = json.loads(quick().to_json())
    assert set(document) == {"problem", "runs", "seed", "confidence", "results", "notes", "about"}
    assert document["confidence"] == 0.1
    row = document["results"][0]
    assert {"policy", "budget", "mean", "stderr", "q25", "median", "q75"} <= set(row)
    assert {"error", "error_stderr", "promise", "capped", "outputs"} <= set(row)
    assert set(row["outputs"][0]) == {"nth", "runs", "mean", "stderr"}
    assert len(quick().to_frame()) == 2


def test_finished_runs_are_kept_and_read_back(tmp_path: Path) -> None:
    out = tmp_path / "times.db"
    first = quick(["hdoc"], out=out)
    again = quick(["hdoc", "apt-g"], out=out)
    assert first.times("hdoc").tolist() == again.times("hdoc").tolist()
    with pytest.raises(ExperimentError, match="confidence"):
        quick(["hdoc"], out=out, confidence=0.2)


def test_policies_with_a_budget_are_refused_and_so_are_the_others_without() -> None:
    with pytest.raises(InvalidProblemError, match="type --budget instead of --confidence"):
        quick(["lsa"])
    with pytest.raises(InvalidProblemError, match="type --confidence"):
        simulate(PROBLEM, ["hdoc"], budgets=[100], runs=1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"policies": []}, "name at least one"),
        ({"runs": 0}, "runs=0; give a whole number, at least 1"),
        ({"runs": 2.5}, "runs=2.5; give a whole number"),
        ({"most_pulls": 10.5}, "most_pulls=10.5; give a whole number"),
        ({"policies": 5}, "5 as a policy; give a name"),
        ({"most_pulls": 3}, "one pull of every arm"),
        ({"seed": -1}, "whole number"),
        ({"confidence": 1.5}, "chance of an error"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidProblemError, match=says):
        quick(**options)


# What is promised: an error of at most δ. A rule whose chance of an error were exactly δ would have more errors than
# this in one of 1e6 tests; the rules are far below. Means next to the bar are where a rule that is too bold errs most.
MOST_ERRORS = int(binom.ppf(1.0 - 1e-6, RUNS, DELTA))
GOOD_ARMS = ["hdoc", "lil-hdoc:first=1"]  # LUCB-G and APT-G err where HDoC does: an arm is judged by itself


@pytest.mark.parametrize("name", GOOD_ARMS)
def test_no_arm_is_misjudged_more_often_than_promised(name: str) -> None:
    problem = Problem.gaussian([0.01, -0.01, 0.01, -0.01])
    (row,) = stopping_times(problem, name, confidence=DELTA, runs=RUNS, most_pulls=3_000, seed=3).rows()
    assert row.error * RUNS <= MOST_ERRORS


@pytest.mark.parametrize("name", ["murphy", "sticky-tas"])
@pytest.mark.parametrize("means", [[-0.01, -0.01, -0.01], [0.01, -0.3, -0.3]])
def test_the_answer_is_wrong_no_more_often_than_promised(name: str, means: list[float]) -> None:
    (row,) = stopping_times(Problem.gaussian(means), name, confidence=DELTA, runs=RUNS, most_pulls=3_000, seed=5).rows()
    assert row.error * RUNS <= MOST_ERRORS


@pytest.mark.parametrize("name", ["hdoc", "lil-hdoc:first=20", "murphy", "sticky-tas"])
def test_where_arms_are_far_from_the_bar_every_run_stops_and_almost_none_is_wrong(name: str) -> None:
    problem = Problem.gaussian([0.4, -0.4, 0.5, -0.5])
    (row,) = stopping_times(problem, name, confidence=DELTA, runs=200, seed=3).rows()
    assert row.capped == 0.0
    assert row.error * 200 <= binom.ppf(1.0 - 1e-6, 200, DELTA)


@pytest.mark.parametrize("name", ["jj-fdr", "jj-fwer", "jj-fdr:find=all"])
def test_few_outputs_are_false(name: str) -> None:
    # Seven hypotheses on the bar itself, the hardest to tell; three arms above.
    problem = Problem.gaussian([0.0] * 7 + [0.5, 0.5, 0.7])
    (row,) = stopping_times(problem, name, confidence=DELTA, runs=RUNS, seed=7).rows()
    assert row.capped == 0.0
    # A share is at most 1, so that its mean varies no more than that of errors which are 0 or 1.
    assert row.error * RUNS <= MOST_ERRORS


@pytest.mark.parametrize("name", ["jj-fdr", "jj-fwer"])
def test_where_nothing_is_above_the_bar_nothing_is_output_for_long(name: str) -> None:
    problem = Problem.gaussian([0.0] * 5)
    (row,) = stopping_times(problem, name, confidence=DELTA, runs=RUNS, most_pulls=3_000, seed=8).rows()
    assert row.capped == 1.0
    assert row.error * RUNS <= MOST_ERRORS


def test_every_rule_is_held_to_its_promise_above() -> None:
    tried = {name.partition(":")[0] for name in [*GOOD_ARMS, "murphy", "sticky-tas", "jj-fdr", "jj-fwer"]}
    assert tried | {"lucb-g", "apt-g"} == set(CONFIDENCE)
