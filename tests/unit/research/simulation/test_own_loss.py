"""A loss of the user's own: computed from the mistakes of every run, in every engine; and mistakes by arm."""

import numpy as np
import pytest

import thresher as th
from thresher.errors import InvalidInputError
from thresher.policy import ArmStatistics
from thresher.problem import Problem
from thresher.types import Floats

PROBLEM = Problem.gaussian([0.3, -0.2, 0.1, 0.0], thresholds=[0.0, 0.0, 0.2, 0.0], costs=[1.0, 2.0, 5.0, 1.0])
GAPS = [0.3, -0.2, -0.1, 0.0]


class Turns:
    def choose(self, seen: ArmStatistics, rng: object) -> int:
        return int(seen.counts.argmin())


def by_cost(mistakes: Floats, gaps: Floats, costs: Floats) -> float:
    return float((mistakes * costs).sum())


def false_passes(mistakes: Floats, gaps: Floats, costs: Floats) -> float:
    return float(mistakes[gaps < 0.0].sum())


@pytest.mark.parametrize(
    ("policy", "more"),
    [("stopping", {}), ("evt-pf", {}), ("stopping", {"in_flight": 3}), (Turns(), {}), ("lsa", {"recommend": "peak"})],
)
def test_a_loss_that_restates_ours_gives_the_same_numbers(policy: object, more: dict[str, object]) -> None:
    given = {"budgets": [10, 40], "runs": 200, "seed": 3} | more
    ours, own = (th.simulate(PROBLEM, policy, loss=loss, **given) for loss in ("costs", by_cost))  # type: ignore[arg-type]
    name = ours.policies[0]
    assert own.losses(name).tolist() == ours.losses(name).tolist()
    assert own.rows()[0].loss == "by_cost"
    assert "loss 'by_cost'" in own.title


def test_mistakes_by_arm_add_up_to_the_loss() -> None:
    result = th.simulate(PROBLEM, ["stopping", "uniform-iid"], budgets=[10, 40], runs=300, seed=1, keep_mistakes=True)
    for policy in result.policies:
        mistakes = result.mistakes(policy)
        assert mistakes.shape == (300, 2, 4)
        assert (mistakes @ PROBLEM.costs == result.losses(policy)).all()
        assert (mistakes[:, :, 3] == 0.0).all(), "a mean on its bar is on both sides"
        assert result.gaps(policy) == pytest.approx(np.tile(GAPS, (300, 1)))
        assert 0.0 < mistakes[:, 0, 2].mean() < 1.0


def test_gaps_are_those_of_the_run_where_means_are_drawn() -> None:
    result = th.simulate("gaussian-population:K=5", "lsa", budgets=[20], runs=50, keep_mistakes=True)
    gaps = result.gaps("lsa")
    assert len(np.unique(gaps)) == gaps.size
    own = th.simulate("gaussian-population:K=5", "lsa", budgets=[20], runs=50, loss=false_passes)
    assert own.losses("lsa")[:, 0].tolist() == (result.mistakes("lsa")[:, 0] * (gaps < 0.0)).sum(axis=1).tolist()


def test_mistakes_are_kept_in_a_file_and_by_processes(tmp_path: object) -> None:
    given = {"budgets": [12], "runs": 40, "out": f"{tmp_path}/results.db", "loss": by_cost}
    first = th.simulate(PROBLEM, "stopping", executor="processes", workers=1, **given)  # type: ignore[arg-type]
    again = th.simulate(PROBLEM, "stopping", **given)  # type: ignore[arg-type]
    assert again.losses("stopping").tolist() == first.losses("stopping").tolist()
    other = th.simulate(PROBLEM, "stopping", **given | {"loss": false_passes})  # type: ignore[arg-type]
    assert other.losses("stopping").tolist() != first.losses("stopping").tolist()


def test_what_is_wrong_is_said() -> None:
    plain = th.simulate(PROBLEM, "lsa", budgets=[10], runs=3)
    with pytest.raises(InvalidInputError, match="keep_mistakes is False; must be True for mistakes by arm"):
        plain.mistakes("lsa")
    with pytest.raises(InvalidInputError, match=r"loss 'nothing'.* must return a finite number for each run"):
        th.simulate(PROBLEM, "lsa", budgets=[10], runs=3, loss=nothing)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="loss is 'by_cost'; must not be given with alpha"):
        th.simulate(PROBLEM, "hdoc", alpha=0.1, runs=3, loss=by_cost)


def nothing(mistakes: Floats, gaps: Floats, costs: Floats) -> None:
    """Return nothing, as a function does that forgets to."""
