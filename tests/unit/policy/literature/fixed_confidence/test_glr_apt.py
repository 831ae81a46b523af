import math

import pytest

from thresher.policy.literature.fixed_confidence.glr_apt import glr_radius
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_a_worked_case() -> None:
    # n = 10, ρ = 10: (20 / 100) log(20 · 4 / (10 · 0.01)) with K = 2, α = 0.1, σ = 1
    assert glr_radius(10.0, 1.0, 2.0, 0.1) == pytest.approx(math.sqrt(0.2 * math.log(800.0)))


def test_a_worked_run() -> None:
    # Both arms are at distance 1/2 from the bar, σ = 1/2: an arm is judged at the first n with radius <= 1/2. The two
    # are pulled in turn, so the first is judged with n pulls when the other has n - 1.
    needed = next(n for n in range(1, 200) if glr_radius(float(n), 0.5, 2.0, 0.05) <= 0.5)
    result = simulate(Problem.bernoulli([1.0, 0.0]), "glr-apt", alpha=0.05, runs=1)
    assert [each.mean for each in result.outputs("glr-apt")] == [2.0 * needed - 1.0]
    assert result.spent("glr-apt").tolist() == [[2.0 * needed]]


def test_it_needs_fewer_pulls_than_wider_intervals_and_keeps_its_promise() -> None:
    result = simulate("kano-2", ["apt-g", "glr-apt"], alpha=0.05, runs=100, seed=2)
    apt_g, glr = result.rows()
    assert glr.spent < apt_g.spent
    # Wrong in at most 5 % of the runs: 100 runs with 14 wrong ones or more have probability 5e-4 at that rate.
    assert glr.mean < 0.14
