import numpy as np
import pytest

from thresher.research.papers.exact_losses import losses, pulls


@pytest.mark.parametrize(
    ("name", "value"),
    [("oracle", 11.44), ("static-optimum", 10.49), ("uniform, exact", 11.31), ("adaptive limit", 8.641)],
)
def test_losses_on_the_quadratic_problem_at_500(name: str, value: float) -> None:
    assert losses(name, "quadratic", (500.0,))[0] == pytest.approx(value, abs=6e-3)


def test_the_integer_limit_is_above_the_adaptive_one() -> None:
    assert losses("integer limit", "constant", (200.0,))[0] == pytest.approx(2.64, rel=5e-3)
    assert losses("adaptive limit", "constant", (200.0,))[0] == pytest.approx(1.582, abs=6e-4)


def test_allocations_spend_the_budget() -> None:
    for name in ("oracle", "oracle, Δ = |μ|", "static-optimum", "uniform, exact", "adaptive limit"):
        assert pulls(name, "quadratic", 500.0).sum() == pytest.approx(500.0)


def test_the_oracle_that_reads_the_gap_raw_is_judged_by_the_same_outcomes() -> None:
    # With the other reading it allocates as for half the variance, and its loss is still a loss of variance 1.
    best = losses("static-optimum", "quadratic", (500.0,))[0]
    assert losses("oracle, Δ = |μ|", "quadratic", (500.0,))[0] > best
    assert np.count_nonzero(pulls("oracle, Δ = |μ|", "quadratic", 500.0) == 0.0) == 16
