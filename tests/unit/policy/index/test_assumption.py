import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidIndexError
from thresher.policy.index import INDICES, Index, check_assumption

CASES = [
    ("apt", 0.0),
    ("apt", 0.3),
    ("lsa", 1.0),
    ("lsa", 0.05),
    ("fwt", 0.0),
    ("fwt-sqrt", 0.0),
    ("fwt-gaps", 0.0),
    ("uniform", 0.0),
    ("sprt", 0.4),
]
EVERY = pytest.mark.parametrize(("index", "parameter"), [(INDICES[name], value) for name, value in CASES])

counts = st.integers(1, 10**7).map(float)
evidences = st.floats(0.0, 1e5)
costs = st.floats(1e-3, 1e3)


def rounding(*values: float) -> float:
    """Return how far a formula may be off through floating point."""
    return 1e-12 * (1.0 + max(abs(value) for value in values))


@EVERY
@given(count=counts, more=counts, evidence=evidences, cost=costs)
def test_more_pulls_never_make_an_arm_more_urgent(
    index: Index, parameter: float, count: float, more: float, evidence: float, cost: float
) -> None:
    before = index(count, evidence, cost, parameter)
    after = index(count + more, evidence, cost, parameter)
    assert after >= before - rounding(max(before, -1e300), after)


@EVERY
@given(count=counts, evidence=evidences, more=st.floats(0.0, 1e5), cost=costs)
def test_more_evidence_never_makes_an_arm_more_urgent(
    index: Index, parameter: float, count: float, evidence: float, more: float, cost: float
) -> None:
    before = index(count, evidence, cost, parameter)
    after = index(count, evidence + more, cost, parameter)
    assert after >= before - rounding(max(before, -1e300), after)


@EVERY
@given(share=st.floats(1e-3, 10.0), cost=costs, level=st.floats(0.0, 100.0))
def test_an_arm_off_its_bar_passes_every_level(
    index: Index, parameter: float, share: float, cost: float, level: float
) -> None:
    # F(n, n y) -> infinity for y > 0, the second half of Assumption 1.
    assert index(1e9, 1e9 * share, cost, parameter) > level


@EVERY
def test_every_built_in_index_passes_the_check(index: Index, parameter: float) -> None:
    check_assumption(index.name, lambda n, x, a: index(n, x, a, parameter))


@pytest.mark.parametrize("name", ["stopping", "stopping-gaps"])
def test_the_check_lets_the_stopping_indices_through(name: str) -> None:
    check_assumption(name, INDICES[name])


def test_a_formula_that_decreases_in_the_pulls_is_shown_where() -> None:
    with pytest.raises(InvalidIndexError) as caught:
        check_assumption("bad", lambda n, x, a: x - math.log(n))
    assert "it decreases from F(1, 0; 0.001) = 0 to F(2, 0; 0.001) = -0.693147" in str(caught.value)


def test_a_formula_that_decreases_in_the_evidence_is_shown_where() -> None:
    # The index of FWT without its cut: x - log x decreases below 1.
    with pytest.raises(InvalidIndexError, match=r"it decreases from F\(1, 1e-06; .*\) = .* to F\(1, 1.33352e-06"):
        check_assumption("bad", lambda n, x, a: x - math.log(x) + math.log(n / a) if x > 0 else -math.inf)


def test_a_formula_that_stays_bounded_is_refused() -> None:
    with pytest.raises(InvalidIndexError, match="it stays bounded: F"):
        check_assumption("bad", lambda n, x, a: x / (1.0 + x))


def test_a_formula_that_is_no_number_somewhere_is_refused() -> None:
    with pytest.raises(InvalidIndexError, match=r"F\(1, 0; 0.001\) is not a number"):
        check_assumption("bad", lambda n, x, a: math.nan)


def test_rounding_is_forgiven() -> None:
    check_assumption("good", lambda n, x, a: x + math.log(n / a) - (1e-14 if int(n) % 2 else 0.0))
