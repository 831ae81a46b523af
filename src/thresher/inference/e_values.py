r"""One-sided e-processes: for each arm, how strongly its outcomes refute that its mean is on one side of a bar.

An e-process against a hypothesis is nonnegative and has expectation at most 1 at every stopping time if the hypothesis
is true. The two-sided martingale of :mod:`thresher.inference.intervals` tests :math:`\mu = b` and is not one against
:math:`\mu \le b`. These are mixtures over alternatives on the other side of the bar alone. For each such alternative
the likelihood ratio to the bar grows with the outcome, so its expectation is at most 1 under every mean on the
refuted side, and a mixture of supermartingales is a supermartingale; so is the mixture of these over several ρ
(:mod:`thresher.martingales.mixture`). That holds if each next outcome has the mean of
its arm given all that was seen before, of every arm: arms may depend on each other, and any rule may choose the pulls.

Where the variance is unknown the process is one in the filtration of the arm's outcomes up to their unit
(:mod:`thresher.martingales.student`). A stopping time may depend on more than that, so it is lifted:
:math:`E \mapsto (E - 1 - \log E)/\log^2 E`, which makes an e-value at every random time out of a process that reaches
:math:`1/p` with probability at most `p` :cite:p:`vovk2021`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thresher.martingales import Mixture
from thresher.problem import Question, Statistics
from thresher.types import Floats


class EValues(NamedTuple):
    """Logarithms of the two e-values of each arm, shape (K,) each; 0 without outcomes, minus infinity for an e of 0.

    Attributes
    ----------
    above : ndarray of float64
        Against a mean at or below the bar: evidence that the arm is above.
    below : ndarray of float64
        Against a mean at or above the bar.
    """

    above: Floats
    below: Floats


def e_values(question: Question, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
    r"""Return the e-values of both sides of every arm's bar.

    Parameters
    ----------
    question : Question
    seen : Statistics
    risk : float
        In (0, 1), and chosen before the outcomes: it tunes how far off the alternatives are.
    tolerance : float
        :math:`\epsilon \ge 0`: `above` is against :math:`\mu \le \theta - \epsilon`, `below` against
        :math:`\mu \ge \theta + \epsilon`.
    """
    above, below = (e_value(question, seen, side, risk=risk, tolerance=tolerance) for side in (1, -1))
    return EValues(above, below)


def e_value(question: Question, seen: Statistics, side: int, *, risk: float, tolerance: Floats | float = 0.0) -> Floats:
    """Return the logarithm of the e-value for one side of every arm's bar, shape (K,).

    Parameters
    ----------
    question, seen, risk
        As of :func:`e_values`.
    side : int
        1 for evidence that the arm is above, -1 for below.
    tolerance : float or ndarray of float64, shape (K,)
        How far beyond the bar the refuted means are.
    """
    if side < 0:
        question, seen = mirror(question, seen)
    return mixed_e_above(question, seen, question.thresholds - tolerance, question.kind.mixture(risk))


def mixed_e_above(question: Question, seen: Statistics, bars: Floats, mixture: Mixture) -> Floats:
    """Return the logarithm of the mixture over ρ of the e-values of :func:`log_e_above`, shape (K,)."""
    found = mixture.of(np.stack([log_e_above(question, seen, bars, rho) for rho in mixture.rhos.tolist()]))
    return np.where(seen.counts > 0.0, found, 0.0)


def mirror(question: Question, seen: Statistics) -> tuple[Question, Statistics]:
    """Return the question and the outcomes with above and below exchanged.

    An outcome `x` becomes ``low + high - x`` in a family with a range, which maps the range onto itself, and ``-x`` in
    the others.
    """
    ends = question.kind.mirror_sum(question.low, question.high)
    flipped = replace(question, thresholds=ends - question.thresholds)
    foreseen = None if seen.foreseen is None else seen.foreseen.mirrored()
    return flipped, Statistics(seen.counts, ends * seen.counts - seen.totals, seen.squares, foreseen=foreseen)


def log_e_above(question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
    """Return the logarithm of the e-value against a mean at or below a bar, for every arm, shape (K,).

    Parameters
    ----------
    question : Question
    seen : Statistics
        With squares about the thresholds of the question.
    bars : ndarray of float64, shape (K,)
        Inside the range of the family.
    rho : float
        How concentrated the alternatives are, in outcomes.
    """
    found = question.sampling.log_e_above(question, seen, bars, rho)
    return np.where(seen.counts > 0.0, found, 0.0)
