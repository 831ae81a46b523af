r"""A control arm as the bar: an arm passes if its mean is above that of the control, with a margin.

The bar of every arm is :math:`\theta_0 = c \mu_0 + m`, where :math:`\mu_0` is the unknown mean of the control. An
absolute margin has :math:`c = 1`; a relative one, such as ``"-2%"``, has :math:`c = 0.98` and :math:`m = 0`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem.numbers import number_in, real, whole

TIE = 1e-12  # relative: 0.1 + 0.02 is a tie with 0.12
PERCENT = re.compile(r"(.+?)\s*%")
MARGIN = "must be a number, or per cent of the control's mean such as '-2%'"


class Control(NamedTuple):
    r"""Which arm is the control, and where the bar of the others is: :math:`c \mu_0 + m`.

    Attributes
    ----------
    arm : int
        Its position among the arms; negative if there is none, for compiled code.
    ratio, margin : float
        :math:`c > 0` and :math:`m`.
    """

    arm: int
    ratio: float = 1.0
    margin: float = 0.0

    def bar(self, mean: float) -> float:
        """Return the bar that a mean of the control gives."""
        return self.ratio * mean + self.margin

    @property
    def shown(self) -> str:
        """The margin as a user writes it."""
        return f"{self.margin:+.12g}" if self.ratio == 1.0 else f"{100.0 * (self.ratio - 1.0):+.12g}%"


NO_CONTROL = Control(-1)


def is_tied(mean: float, bar: float) -> bool:
    """Return whether a mean equals its bar up to rounding: no verdict on such an arm is a mistake."""
    return abs(mean - bar) <= TIE * max(abs(mean), abs(bar))


def control_of(control: Any, margin: Any, arms: Sequence[str]) -> Control:
    """Return the control that a caller names, with its margin.

    Parameters
    ----------
    control : int or str
        The place of the arm, from 0, or its name.
    margin : float or str
        In the unit of the outcomes, or per cent of the control's mean, such as ``"-2%"``.
    arms : sequence of str
        All arms, the control among them.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If the control is not one of the arms, there is no other arm, or the margin cannot be read.
    """
    if isinstance(control, Control):
        control, ratio, shift = control
    else:
        ratio, shift = _margin_of(margin)
    if len(arms) < 2:
        raise InvalidInputError(
            "number of arms", len(arms), rule="must be at least 2 with a control: itself and an arm"
        )
    if isinstance(control, str):
        if control not in arms:
            raise UnknownNameError("control", control, list(arms))
        return Control(list(arms).index(control), ratio, shift)
    place = whole(control)
    if place is None or not 0 <= place < len(arms):
        rule = f"must be the name of an arm, or its place from 0 to {len(arms) - 1}"
        raise InvalidInputError("control", control, rule=rule)
    return Control(place, ratio, shift)


def margin_text(margin: Any) -> str:
    """Return a margin as it is stored: ``"-0.01"`` or ``"-2%"``.

    Raises
    ------
    InvalidInputError
        If it cannot be read.
    """
    _, shift = _margin_of(margin)
    if isinstance(margin, str) and "%" in margin:
        return f"{margin.strip().removesuffix('%').strip()}%"
    return repr(shift + 0.0).removesuffix(".0")


def _margin_of(margin: Any) -> tuple[float, float]:
    """Return ratio and margin of an absolute or a relative margin."""
    if not isinstance(margin, str):
        number = real(margin)
        if not math.isfinite(number):
            raise InvalidInputError("margin", margin, rule=MARGIN)
        return 1.0, number
    percent = PERCENT.fullmatch(margin.strip())
    found = number_in(percent.group(1) if percent else margin)
    if found is None:
        raise InvalidInputError("margin", margin, rule=MARGIN)
    if percent and not found > -100.0:
        raise InvalidInputError("margin", margin, rule="must be above -100%", fix="write 2% below the control as '-2%'")
    return (1.0 + found / 100.0, 0.0) if percent else (1.0, found)
