"""The loss of the verdicts of one run: the losses of the paper, and the errors of fixed-confidence policies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.jit import formula, kernel
from thresher.policy import ANY_FALSE, ANY_MISTAKE, FALSE_SHARE
from thresher.problem import bars, parse_spec
from thresher.research.engine.draws import Arms
from thresher.types import Floats, Ints

KINDS = ("costs", "gaps", "any", "more-than", ANY_MISTAKE, FALSE_SHARE, ANY_FALSE)
COSTS, GAPS, ANY, MORE_THAN, MISTAKE, SHARE, FALSE = range(len(KINDS))
LOSSES = KINDS[:4]  # those that can be asked for; the others are what policies that stop by themselves promise
AXES = {
    "costs": "mistakes (weighted by cost)",
    "gaps": "sum of gaps misjudged",
    "any": "chance of any mistake",
    ANY_MISTAKE: "chance of any mistake",
    FALSE_SHARE: "share of false outputs",
    ANY_FALSE: "chance of any false output",
}


is_tied = formula(bars.is_tied)


class LossCode(NamedTuple):
    """A loss as kernels take it: its kind, how many mistakes it forgives, how near to the bar it forgives an arm."""

    kind: int
    most: int
    tolerance: float


@dataclass(frozen=True)
class Loss:
    """What the mistakes of a run cost.

    Parameters
    ----------
    kind : str
        ``"costs"``, the sum of the mistake costs; ``"gaps"``, the sum of the gaps; ``"any"``, 1 for any mistake;
        ``"more-than"``, 1 for more than `most` mistakes, an arm without a verdict being half a mistake; or what a
        policy that stops by itself promises (:data:`~thresher.policy.policy.ANY_MISTAKE` and so on).
    most : int
        Mistakes that ``"more-than"`` forgives.
    tolerance : float
        Arms within it of the bar are forgiven.
    """

    kind: str = "costs"
    most: int = 0
    tolerance: float = 0.0

    @classmethod
    def named(cls, text: Any, tolerance: float = 0.0) -> Loss:
        """Return the loss of a name: ``costs``, ``gaps``, ``any`` or ``more-than:m=2``.

        Raises
        ------
        UnknownNameError, InvalidInputError
            If there is no such loss or parameter, or the parameter is not a whole number, at least 0.
        """
        spec = parse_spec(str(text))
        if spec.name not in LOSSES:
            raise UnknownNameError("loss", str(text), list(LOSSES))
        known = ["m"] if spec.name == "more-than" else []
        for key in spec.parameters:
            if key not in known:
                raise UnknownNameError(f"parameter of the loss {spec.name!r}", key, known)
        most = spec.parameters.get("m", "0")
        if not most.isdecimal():
            raise InvalidInputError("m of the loss 'more-than'", most, rule="must be a whole number, at least 0")
        return cls(spec.name, int(most), tolerance)

    @property
    def code(self) -> LossCode:
        """The loss as kernels take it."""
        return LossCode(KINDS.index(self.kind), self.most, float(self.tolerance))

    @property
    def axis(self) -> str:
        """The label of the axis of a picture."""
        return AXES.get(self.kind, f"chance of more than {self.most} mistakes")


class RunLoss(NamedTuple):
    """The loss of one run, and the probability (0, 1, or between if arms are undecided) that some verdict is wrong."""

    loss: float
    any_mistake: float


@formula
def weight_of(gap: float, sigma: float, cost: float, loss: LossCode) -> float:
    r"""Return what a mistake on an arm counts: :math:`a_k`, :math:`\Delta_k` or 1; 0 on the bar and in the tolerance.

    :cite:p:`ouhamma2021`, Eq. (1), for both losses; the tolerance is that of :cite:p:`locatelli2016`, where an
    arm counts if its mean is at least :math:`\theta + \epsilon` or below :math:`\theta - \epsilon`.
    """
    if gap == 0.0 or (loss.tolerance > 0.0 and -loss.tolerance <= gap < loss.tolerance):
        return 0.0
    if loss.kind == GAPS:
        return float(abs(gap) / math.sqrt(2.0 * (sigma * sigma)))
    return 1.0 if loss.kind == MORE_THAN else float(cost)


@formula
def gap_of(arms: Arms, means: Floats, k: int) -> float:
    """Return how far the mean of an arm is above its bar: 0 for a control, which is not judged."""
    control = arms.control
    if control.arm < 0:
        return float(means[k] - arms.thresholds[k])
    bar = control.ratio * means[control.arm] + control.margin
    return 0.0 if k == control.arm or is_tied(means[k], bar) else float(means[k] - bar)


@kernel
def judge(arms: Arms, means: Floats, verdicts: Ints, loss: LossCode) -> RunLoss:
    """Return what verdicts (1 above, -1 below, 0 none) on all arms cost; an arm without one counts half."""
    sigma, costs = arms.sigma, arms.costs
    whole, wrong, undecided = 0.0, 0, 0
    for k in range(verdicts.size):
        gap = gap_of(arms, means, k)
        weight = weight_of(gap, sigma[k], costs[k], loss)
        if weight == 0.0:
            continue
        if verdicts[k] == 0:
            undecided += 1
            whole += 0.5 * weight
        elif (verdicts[k] > 0) != (gap > 0.0):
            wrong += 1
            whole += weight
    any_mistake = 1.0 if wrong > 0 else 1.0 - 0.5**undecided
    if loss.kind == ANY:
        whole = any_mistake
    elif loss.kind == MORE_THAN:
        whole = 1.0 if whole > loss.most else 0.0
    elif loss.kind >= MISTAKE:
        whole = error_of(arms, means, verdicts, loss.kind)
    return RunLoss(whole, any_mistake)


@kernel
def error_of(arms: Arms, means: Floats, verdicts: Ints, kind: int) -> float:
    """Return the error that a policy promises to keep rare.

    A mistake is an arm on the wrong side, a mean on its bar being on both. A false output is an arm that is not above
    its bar: for the rules that promise few of them a mean on the bar is the hypothesis that they test.
    """
    wrong = outputs = false = 0
    for k in range(verdicts.size):
        gap = gap_of(arms, means, k)
        if verdicts[k] > 0:
            outputs += 1
            false += 1 if gap <= 0.0 else 0
            wrong += 1 if gap < 0.0 else 0
        elif verdicts[k] < 0:
            wrong += 1 if gap > 0.0 else 0
    if kind == SHARE:
        return false / outputs if outputs > 0 else 0.0
    return 1.0 if (wrong if kind == MISTAKE else false) > 0 else 0.0
