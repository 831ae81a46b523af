"""KL-APT, the form of APT for 0/1 outcomes."""

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def kl_apt_formula(count: float, evidence: float, cost: float) -> float:  # noqa: ARG001
    r"""Return the KL-APT index of one arm: its evidence, by the likelihood for 0/1 outcomes; costs are ignored.

    .. math:: F(n, x) = x, \qquad x = n \operatorname{kl}(\hat\mu, \theta)

    :cite:p:`locatelli2016`, Eq. (4), with the divergence of the family in place of the squared gap; for Gaussian arms
    it is APT. A thesis has it as SLR (:cite:p:`radtke2017`, read in its implementation). The pseudo-sample at the bar
    that goes with this evidence here is an addition: without it one chance outcome locks an arm out if θ is small; the
    policy `slr` has none.

    Parameters
    ----------
    count, cost : float
        Not used.
    evidence : float
        :math:`x \ge 0`.
    """
    return evidence


KL_APT = Index(
    "kl-apt",
    code=9,
    formula=kl_apt_formula,
    source="locatelli2016, Eq. (4), with n·kl; radtke2017",
    bernoulli_evidence="kl",
)
