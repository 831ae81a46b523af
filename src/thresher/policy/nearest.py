r"""How near each arm is to a decision: the order in which ``goal="decide"`` measures arms.

Evidence grows by about :math:`(x + \frac12)/n` with each measurement: :math:`x/n` is what the empirical mean lets
expect and :math:`\frac1{2n}` what is not known of the mean. An arm that lacks :math:`x^* - x` for a decision needs
about

.. math:: \frac{n (x^* - x)}{x + \frac12}

measurements more. The arm that needs fewest is measured next, a decided one is left alone. Minimising mistakes does the
contrary: it keeps all arms equally doubtful, and with a small budget nearly all of them stay just above the risk.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import njit
from thresher.policy.decisions import Decisions, e_of
from thresher.policy.evalues import e_values
from thresher.policy.intervals import pseudo_samples
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.types import Floats

DECIDED = 1e200  # decided arms rank after all others, the least evidence first


@njit(cache=True)
def measurements_to_decide(count: float, evidence: float, missing: float) -> float:
    r"""Return about how many more measurements decide one arm; more than 1e200 if it is decided.

    Parameters
    ----------
    count : float
        :math:`n > 0`.
    evidence : float
        :math:`x \ge 0`.
    missing : float
        :math:`x^* - x`; not positive if the arm is decided.
    """
    return DECIDED * (1.0 + evidence) if missing <= 0.0 else count * missing / (evidence + 0.5)


@njit(cache=True)
def _all(counts: Floats, evidences: Floats, missing: Floats) -> Floats:
    keys = np.empty(counts.size)
    for k in range(counts.size):
        keys[k] = measurements_to_decide(counts[k], evidences[k], missing[k]) if counts[k] > 0.0 else -math.inf
    return keys


def nearest_first(
    question: Question, seen: Seen, decided: Decisions, *, risk: float, guarantee: str, tolerance: float = 0.0
) -> Floats:
    """Return the key of each arm under ``goal="decide"``, shape (K,): the least is measured next.

    Arms without an outcome come first, then the open ones, the fewest measurements from a decision first, then those
    that are decided.

    Parameters
    ----------
    question : Question
    seen : Seen
    decided : Decisions
        Of these arms, under the same terms.
    risk, guarantee, tolerance
        See :func:`thresher.policy.decisions.decide`.
    """
    if guarantee == "calibrated":
        evidences, level = evidence_of_chance(decided.p_wrong), float(evidence_of_chance(np.array([risk]))[0])
        missing = level - evidences
    else:
        logs = e_of(e_values(question, seen, risk=risk, tolerance=tolerance), decided.sides)
        level = math.log(1.0 / risk) if guarantee == "anytime" else math.log(question.n_arms / risk)
        evidences = np.maximum(logs + 0.5 * np.log1p(seen.counts / pseudo_samples(risk)), 0.0)
        missing = np.maximum(level - logs, 0.0)
    is_open = ~decided.is_decided
    return np.asarray(_all(seen.counts, evidences, np.where(is_open, np.maximum(missing, 1e-9), 0.0)))


def evidence_of_chance(p_wrong: Floats) -> Floats:
    r"""Return the evidence :math:`x` at which a flat prior has this chance of error, :math:`\Phi(-\sqrt{2x})`."""
    from scipy.special import ndtri

    return np.asarray(0.5 * ndtri(np.clip(p_wrong, 1e-300, 0.5)) ** 2)
