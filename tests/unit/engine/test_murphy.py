import numpy as np
import pytest
from scipy.stats import chi2

from thresher.engine.murphy import least_clear, murphy_arm
from thresher.policy.fixed_confidence.murphy import beta_above, normal_above
from thresher.policy.fixed_confidence.trial import ROW, Demand, Trial
from thresher.streams import arm_key

DRAWS = 20_000


def trial_of(counts: list[int], totals: list[float]) -> Trial:
    rows = np.zeros(len(counts), ROW)
    rows["count"], rows["total"], rows["sigma"], rows["threshold"] = counts, totals, 0.5, 0.5
    return Trial(rows, np.array([sum(counts), 0, 0, 0]))


@pytest.mark.parametrize("is_beta", [False, True])
@pytest.mark.parametrize(
    ("counts", "totals"),
    [
        ([9, 5, 10], [-2.5, -1.5, -3.0]),
        ([9, 5, 10], [0.5, 0.5, -3.0]),
        ([41, 60, 50], [-5.5, -6.0, -5.0]),  # all of them tails
    ],
)
def test_arms_are_drawn_as_by_rejection(is_beta: bool, counts: list[int], totals: list[float]) -> None:
    luck = np.random.default_rng(3)
    demand, trial = Demand(6, 1, 0.05, 0.0, 50.0, is_beta), trial_of(counts, totals)
    n, ones = np.array(counts), np.array(totals) + 0.5 * np.array(counts)
    if is_beta:
        trial.rows["kept"] = [beta_above(s, float(k), 0.5) for s, k in zip(ones, counts, strict=True)]
        means = luck.beta(1.0 + ones, 1.0 + n - ones, (40 * DRAWS, 3)) - 0.5
    else:
        trial.rows["kept"] = [normal_above(s / k, float(k), 0.5) for s, k in zip(totals, counts, strict=True)]
        means = luck.normal(np.array(totals) / n, 0.5 / np.sqrt(n), (40 * DRAWS, 3))
    above = means[means.max(axis=1) > 0.0]
    shares = np.bincount(above.argmax(axis=1), minlength=3) / len(above)
    choices = (np.uint64(arm_key(np.uint64(11), k)) for k in range(DRAWS))
    drawn = np.bincount([murphy_arm(demand, trial, each) for each in choices], minlength=3)
    expected = shares * DRAWS
    # The test of goodness of fit with two degrees of freedom; the noise of the rejection sampling, from at least half
    # as many draws, is allowed for by a factor of 3. False alarm below 1e-6 for each case.
    assert len(above) > DRAWS // 2
    assert ((drawn - expected) ** 2 / expected).sum() < 3.0 * chi2.ppf(1.0 - 1e-6, 2)


def test_where_all_chances_underflow_the_least_clear_arm_is_pulled() -> None:
    demand, trial = Demand(6, 1, 0.05, 0.0, 50.0, False), trial_of([10_000, 10_000, 10_000], [-5e3, -4e3, -5e3])
    assert (trial.rows["kept"] == 0.0).all()
    assert least_clear(trial) == murphy_arm(demand, trial, np.uint64(5)) == 1
