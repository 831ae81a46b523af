"""What another bar would change, without touching the campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher.campaign.arms import arm_rows
from thresher.campaign.ledger import Arm, Machine, Terms
from thresher.campaign.verdicts import Verdict
from thresher.errors import InvalidInputError
from thresher.problem import Combination


@dataclass(frozen=True)
class Flip:
    """An arm that another bar would decide otherwise.

    Parameters
    ----------
    arm : str
    before, after : str
        ``pass``, ``fail`` or ``open``.
    """

    arm: str
    before: str
    after: str


def takes_another_bar(terms: Terms) -> bool:
    """Return whether the outcomes of a campaign can be judged by another bar: not with a control or a quantile."""
    return _with_bar(terms, 0.0).refusal is None


def at_bar(machine: Machine, arms: Sequence[Arm], bar: Any) -> list[Arm]:
    """Return the arms as they would be with this bar and the same outcomes.

    Raises
    ------
    InvalidInputError
        If it is not a possible bar, or the campaign has a control or compares a quantile.
    """
    terms = machine.terms
    _with_bar(terms, bar).check()
    sigma = [arm.sigma for arm in arms] if terms.kind.takes_sigma else None
    try:
        rows = arm_rows(terms, [arm.name for arm in arms], thresholds=bar, sigma=sigma)
    except InvalidInputError as error:
        raise error.at("bar") if error.where.startswith("threshold") else error from None
    return [_moved(machine, arm, threshold) for arm, (_, threshold, *_) in zip(arms, rows, strict=True)]


def _with_bar(terms: Terms, bar: Any) -> Combination:
    return terms.combined()._replace(bar=bar, is_another_bar=True)


def _moved(machine: Machine, arm: Arm, bar: float) -> Arm:
    """Return an arm with another threshold; its squares are distances from the bar of its outcomes' mean."""
    old, new = machine.terms.scoring.bars([arm.threshold, bar])
    gap, from_old = old - new, arm.total - arm.pulls * old
    moved = arm._replace(threshold=bar, squares=arm.squares + 2 * gap * from_old + arm.pulls * gap * gap)
    if machine.sort_keys.needs_all_arms or arm.retired or not arm.pulls:
        return moved
    return moved.rank(machine.sort_keys.of(moved))


def flips(before: Sequence[Verdict], after: Sequence[Verdict]) -> list[Flip]:
    """Return the arms whose decision differs, in their order."""
    pairs = zip(before, after, strict=True)
    return [Flip(old.arm, old.decision, new.decision) for old, new in pairs if old.decision != new.decision]
