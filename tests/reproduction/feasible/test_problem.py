import math
import pickle

import numpy as np
import pytest

from reproduction.feasible import FeasibleProblem, box
from thresher.errors import InvalidInputError, UnknownNameError

SQUARE = box([0.0, 0.0], [1.0, 1.0])
#: In the middle, just inside, just outside, and beyond the corner by (0.3, 0.4).
MEANS = np.array([(0.5, 0.5), (0.95, 0.5), (1.05, 0.5), (1.3, 1.4)])


def test_margins_by_hand() -> None:
    problem = FeasibleProblem(means=MEANS, region=SQUARE, tolerance=0.1)
    assert problem.is_inside.tolist() == [True, True, False, False]
    np.testing.assert_allclose(problem.margins, [0.6, 0.15, 0.15, 0.6], rtol=1e-12)
    assert problem.difficulty == pytest.approx(2 / 0.36 + 2 / 0.0225)


def test_arms_within_the_tolerance_are_forgiven() -> None:
    assert FeasibleProblem(means=MEANS, region=SQUARE, tolerance=0.1).matters.tolist() == [True, False, False, True]
    assert FeasibleProblem(means=MEANS, region=SQUARE).matters.tolist() == [True] * 4


def test_an_arm_inside_by_the_tolerance_counts_and_one_outside_by_it_does_not() -> None:
    means = np.array([(0.75, 0.5), (1.25, 0.5)])
    assert FeasibleProblem(means=means, region=SQUARE, tolerance=0.25).matters.tolist() == [True, False]


def test_an_arm_on_the_boundary_makes_it_infinitely_hard() -> None:
    assert FeasibleProblem(means=np.array([(1.0, 0.5)]), region=SQUARE).difficulty == math.inf


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"means": np.zeros(3)}, InvalidInputError, "one row for each arm"),
        ({"means": np.zeros((2, 3))}, InvalidInputError, "coordinates of the means is 3; must be that of the region"),
        ({"means": np.array([(math.nan, 0.0)])}, InvalidInputError, "finite"),
        ({"sigma": 0.0}, InvalidInputError, "positive"),
        ({"tolerance": -0.1}, InvalidInputError, "0 or a positive"),
        ({"family": "poisson"}, UnknownNameError, "family"),
        ({"family": "bernoulli"}, InvalidInputError, "from 0 to 1"),
    ],
)
def test_what_is_no_problem_is_refused(change: dict[str, object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        FeasibleProblem(**({"means": MEANS, "region": SQUARE} | change))  # type: ignore[arg-type]


def test_a_problem_travels() -> None:
    there = pickle.loads(pickle.dumps(FeasibleProblem(means=MEANS, region=SQUARE, tolerance=0.1, name="here")))
    assert (there.name, there.tolerance, there.n_arms) == ("here", 0.1, 4)
    assert not there.means.flags.writeable
