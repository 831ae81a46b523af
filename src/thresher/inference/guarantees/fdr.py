"""The share of wrong decisions, at any stopping time."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from thresher.inference.decision_intervals import e_by_intervals
from thresher.inference.e_values import EValues
from thresher.inference.guarantees.guarantee import Decided, Guarantee, GuaranteeCase
from thresher.inference.intervals import Intervals
from thresher.types import Bools, Floats, Ints


class Fdr(Guarantee):
    """e-BH: the false discovery rate is at most the risk."""

    name: ClassVar[str] = "fdr"
    promise: ClassVar[str] = "a false discovery rate of at most {risk}"

    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which verdicts the largest e-values support."""

        def interval(is_decided: Bools) -> Intervals:
            n_decided = int(is_decided.sum())
            return e_by_intervals(case.bar, case.seen, case.limits, risk=case.risk, n_decided=n_decided)

        found = case.bar.e_values(case.seen, risk=case.risk, tolerance=case.tolerance)
        return e_bh(e_of(found, case.sides), risk=case.risk), interval

    def share(self, risk: float, n_arms: int) -> float:
        """Return a quarter of the risk, about what the last of several discoveries needs."""
        return 0.25 * risk


def e_of(found: EValues, sides: Ints) -> Floats:
    """Return the logarithm of the e-value that supports each verdict, shape (K,); 0 where there is none."""
    return np.where(sides > 0, found.above, np.where(sides < 0, found.below, 0.0))


def e_bh(logs: Floats, *, risk: float) -> Bools:
    r"""Return which of K hypotheses to reject by e-values: the :math:`\hat k` largest, shape (..., K).

    .. math:: \hat k = \max \{ k : e_{(k)} \ge K / (\alpha k) \}

    The false discovery rate is at most α under any dependence :cite:p:`wangramdas2022`. Each arm has two hypotheses,
    but at most one of the two verdicts on it is wrong. So the wrong decisions are among K true hypotheses, each with an
    e-value of expectation at most 1, and it is K here and not 2K :cite:p:`xu2021`.

    Parameters
    ----------
    logs : ndarray of float64, shape (..., K)
        Logarithms of e-values; each row is a problem of its own.
    risk : float
        α in (0, 1).
    """
    places = np.arange(1, logs.shape[-1] + 1)
    order = np.argsort(-logs, axis=-1, kind="stable")
    enough = np.take_along_axis(logs, order, axis=-1) >= math.log(places.size / risk) - np.log(places)
    largest = np.where(enough, places, 0).max(axis=-1, keepdims=True)
    return np.asarray(np.argsort(order, axis=-1, kind="stable") < largest)
