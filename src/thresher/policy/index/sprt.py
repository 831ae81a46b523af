"""The sequential test of Wald, for arms whose gaps are known and whose signs are not."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def sprt_formula(count: float, evidence: float, cost: float, gap: float) -> float:
    r"""Return minus the logarithm of the price that Wald's test of one sign puts on the next sample.

    .. math:: F = -\log\Big( a \cdot 4\Delta^2 \cdot \frac{e^b}{(1+e^b)^2} \Big/
              \big(\tanh\tfrac b2 + \tfrac b2 \operatorname{sech}^2 \tfrac b2\big) \Big), \qquad b = 4 \Delta \sqrt{n x}

    :math:`b = 2|\mu-\theta||S|/\sigma^2` is the log-likelihood ratio of the two signs; the price is
    :math:`-\mathrm{d}e/\mathrm{d}N` along the optimal tests, :math:`e = 1/(1+e^b)`, :math:`N = b
    \tanh(b/2)/(4\Delta^2)`.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        :math:`a > 0`, what a mistake on this arm costs.
    gap : float
        :math:`\Delta \ge 0`, the true gap of the arm; an arm on its bar is never worth a pull.
    """
    if gap == 0.0:
        return 1e300 + count
    ratio = 4.0 * gap * math.sqrt(count * evidence)
    if ratio == 0.0:
        return -math.inf
    # e^b/(1+e^b)^2 = exp(-b)/(1+exp(-b))^2 and sech^2(b/2) = 4 exp(-b)/(1+exp(-b))^2 do not overflow.
    small = math.exp(-ratio)
    odds = 1.0 + small
    samples = (1.0 - small) / odds + 2.0 * ratio * small / (odds * odds)
    return ratio + math.log(odds * odds * samples / (4.0 * cost * gap * gap))


SPRT = Index(
    "sprt", code=6, formula=sprt_formula, source="wald1947, as an index: thresher", parameter="gap", needs_gaps=True
)
