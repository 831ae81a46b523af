"""Uniform sampling, as an index."""

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def uniform_formula(count: float, evidence: float, cost: float) -> float:  # noqa: ARG001
    r"""Return the number of pulls of one arm; the policy then pulls all arms in turn.

    .. math:: F(n, x) = n

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence, cost : float
        Not used.
    """
    return count


UNIFORM = Index("uniform", code=5, formula=uniform_formula, source="round robin", ignores_outcomes=True)
