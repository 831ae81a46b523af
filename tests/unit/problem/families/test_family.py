import pickle

import pytest

from thresher.errors import UnknownNameError
from thresher.problem.families import FAMILIES, family

BERNOULLI, BOUNDED = FAMILIES["bernoulli"], FAMILIES["bounded"]


def test_the_families_are_those_of_the_documentation() -> None:
    assert list(FAMILIES) == ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance", "two-point"]
    assert [each.name for each in FAMILIES.values() if each.first_pulls != 1] == ["gaussian-unknown-variance"]
    assert FAMILIES["gaussian-unknown-variance"].first_pulls == 3


def test_a_family_is_found_by_its_name_or_the_nearest_is_suggested() -> None:
    assert family("gaussian") is FAMILIES["gaussian"]
    with pytest.raises(UnknownNameError, match="unknown family 'gausian'; did you mean 'gaussian'"):
        family("gausian")


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("outcome", [float("nan"), float("inf"), float("-inf")])
def test_no_family_has_outcomes_that_are_not_finite(name: str, outcome: float) -> None:
    assert FAMILIES[name].misfit(outcome, low=0.0, high=1.0) == f"{outcome} is not a finite number"


def test_bernoulli_outcomes_are_zero_or_one() -> None:
    assert BERNOULLI.misfit(0.0, low=0.0, high=1.0) is None
    assert BERNOULLI.misfit(1.0, low=0.0, high=1.0) is None
    assert BERNOULLI.misfit(2.0, low=0.0, high=1.0) == "2 is neither 0 nor 1"


def test_bounded_outcomes_lie_in_their_range_ends_included() -> None:
    assert BOUNDED.misfit(-1.0, low=-1.0, high=2.0) is None
    assert BOUNDED.misfit(2.0, low=-1.0, high=2.0) is None
    assert BOUNDED.misfit(2.5, low=-1.0, high=2.0) == "2.5 is outside [-1, 2]"


def test_the_other_families_take_any_number() -> None:
    for name in ("gaussian", "gaussian-unknown-variance", "two-point"):
        assert FAMILIES[name].misfit(1e9, low=0.0, high=1.0) is None


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_that_travelled_is_still_itself(name: str) -> None:
    assert pickle.loads(pickle.dumps(FAMILIES[name])) is FAMILIES[name]
