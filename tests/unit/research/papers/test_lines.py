import numpy as np
import pytest

from thresher.research.papers.exact_losses import losses
from thresher.research.papers.grid import Experiment, Grid
from thresher.research.papers.lines import (
    exact_lines,
    exact_pull_lines,
    mean_lines,
    median_lines,
    pull_lines,
    ratio_lines,
)
from thresher.research.simulation import Result

FEW = Experiment("few", "quadratic", ("lsa", "apt"), (100.0, 200.0))


@pytest.fixture(scope="module")
def result() -> Result:
    return Grid(runs=20).result(FEW)


def test_means_have_two_standard_errors(result: Result) -> None:
    (line,) = mean_lines(result, ["lsa"])
    seen = result.losses("lsa")
    np.testing.assert_allclose(line.y, seen.mean(axis=0))
    np.testing.assert_allclose(np.array(line.high) - line.y, 2.0 * seen.std(axis=0, ddof=1) / np.sqrt(20))
    np.testing.assert_allclose(np.array(line.y) - line.low, np.array(line.high) - line.y)


def test_ratios_are_means_over_the_oracles_expected_loss(result: Result) -> None:
    (line,), (mean,) = ratio_lines(result, ["apt"]), mean_lines(result, ["apt"])
    oracle = np.array(losses("oracle", "quadratic", (100.0, 200.0)))
    np.testing.assert_allclose(np.array(line.y) * oracle, mean.y)
    np.testing.assert_allclose(np.array(line.high) * oracle, mean.high)


def test_medians_have_quartiles(result: Result) -> None:
    (line,) = median_lines(result, ["lsa"])
    oracle = np.array(losses("oracle", "quadratic", (100.0, 200.0)))
    np.testing.assert_allclose(
        [np.array(each) * oracle for each in (line.low, line.y, line.high)],
        np.quantile(result.losses("lsa"), [0.25, 0.5, 0.75], axis=0),
    )


def test_exact_lines_have_no_band_and_the_oracle_over_itself_is_1() -> None:
    oracle, best = exact_lines("quadratic", (100.0, 200.0), ("oracle", "static-optimum"), over_oracle=True)
    assert oracle.y == (1.0, 1.0)
    assert max(best.y) < 1.0
    assert oracle.low == best.high == ()


def test_pulls_are_sorted_by_the_mean_of_the_arm(result: Result) -> None:
    (line,) = pull_lines(result, ["apt"], budget=200.0)
    (exact,) = exact_pull_lines(result, ["oracle"], budget=200.0)
    assert line.x == exact.x == tuple(sorted(result.problem.means))
    assert line.x[0] == pytest.approx(-((49 / 50) ** 2))
    assert line.y[-1] == result.pulls("apt")[1][49]  # arm 50 has the largest mean
