from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.uniform import uniform_formula


@given(st.integers(1, 10**9), st.floats(0.0, 1e9), st.floats(1e-3, 1e3))
def test_the_index_is_the_number_of_pulls_whatever_else_was_seen(n: int, evidence: float, cost: float) -> None:
    assert uniform_formula(float(n), evidence, cost) == n
