"""The value of the next measurement of an arm."""

import math


def price(urgency: float, *, count: float, cost: float, p_wrong: float) -> float:
    r"""Return the price at which one more sample of the arm is just worth taking, in the unit of the mistake cost.

    .. math:: \min\Bigl(e^{-F}, \; a \, P(\text{wrong}), \; \frac a\pi \arctan \frac{1}{\sqrt n}\Bigr)

    The index of an arm at its bar is −∞, worth any price to the flat prior. What is shown is never more than the loss
    that is there to be saved, nor more than one sample can save: of an arm exactly at its bar, whose mean is
    :math:`N(\theta, \sigma^2/n)` to the flat prior, `m` more samples lower the chance of error from ½ to
    :math:`\frac1\pi \arctan \sqrt{n/m}`. No arm gains more, and none more for each sample than with :math:`m = 1`. When
    a unit of the budget costs more than the highest price of an arm, it is time to stop.

    Parameters
    ----------
    urgency : float
        :math:`F`, a stopping index, possibly infinite.
    count : float
        :math:`n \ge 0`, outcomes of the arm.
    cost : float
        :math:`a > 0`, the mistake cost that went into the index.
    p_wrong : float
        In [0, 1]: how likely the verdict on the arm is wrong.
    """
    at_stake = cost * min(p_wrong, math.atan2(1.0, math.sqrt(count)) / math.pi)
    # In logarithms: exp(-F) overflows close to the bar.
    if at_stake == 0.0 or -urgency >= math.log(at_stake):
        return at_stake
    return math.exp(-urgency)
