import math

import numpy as np
import pytest

from reproduction.feasible import FEASIBLE_PROBLEMS, named_feasible
from thresher.errors import UnknownNameError


@pytest.mark.parametrize("name", FEASIBLE_PROBLEMS)
def test_every_experiment_has_its_shape(name: str) -> None:
    problem = named_feasible(name)
    assert problem.name == name
    assert problem.means.shape == ((5, 2) if name.endswith("dose") else (20, 5))


def test_the_paper_names_the_arms_that_are_forgiven() -> None:
    # Its arms are counted from 0.
    def forgiven(name: str) -> list[int]:
        return np.flatnonzero(~named_feasible(name).matters).tolist()

    assert forgiven("katz-samuels-1") == [8, 9]
    assert forgiven("katz-samuels-2") == []
    assert forgiven("katz-samuels-3") == [4, 5]
    assert forgiven("katz-samuels-5") == [8, 9, 10, 11]
    assert forgiven("katz-samuels-dose") == []
    # "Arms 0 to 9 are good, 15 to 19 irrelevant": so it is with its rows as they stand; with rows of length 1, as its
    # definition has them, arms 5 to 9 would be 0.15/√5 = 0.067 inside and forgiven too.
    assert forgiven("katz-samuels-4:unit_rows=no") == list(range(15, 20))
    assert forgiven("katz-samuels-4") == [*range(5, 10), *range(15, 20)]


def test_margins_by_hand() -> None:
    np.testing.assert_allclose(named_feasible("katz-samuels-2").margins[8:10], [0.05, 0.05 * math.sqrt(5.0)])
    simplex = named_feasible("katz-samuels-4").margins - 0.1
    np.testing.assert_allclose(simplex[::5], np.array([0.2, 0.15 / 5**0.5, 0.25 / 5**0.5, 0.05 / 5**0.5]), rtol=1e-9)
    ordered = named_feasible("katz-samuels-5").margins - 0.1
    # The last group, (0, .2, .4, .2, 0): its end is pooled from 1 on, at the mean 0.2 of the last four.
    last = math.sqrt(0.2**2 + 0.2**2)
    expected = [0.2 / 2**0.5, 0.15 / 2**0.5, 0.05 / 2**0.5, 0.15 / 2**0.5, last]
    np.testing.assert_allclose(ordered[::4], expected, rtol=1e-9)
    # A dose: (0.36, 0.58) misses 0.4 by 0.04 and 0.5 by 0.08.
    assert named_feasible("katz-samuels-dose").margins[4] == pytest.approx(math.hypot(0.04, 0.08))


def test_only_the_third_dose_is_good() -> None:
    assert named_feasible("katz-samuels-dose").is_inside.tolist() == [False, False, True, False, False]


def test_the_last_arms_of_the_third_experiment_can_be_elsewhere() -> None:
    assert named_feasible("katz-samuels-3:rest=0.8").means[10:].tolist() == [[0.8] * 5] * 10


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="katz-samuels-1"):
        named_feasible("katz-samuel-1")
