"""What the next measurement of an arm is worth."""

import math


def price(urgency: float, *, cost: float, p_wrong: float) -> float:
    r"""Return the price at which one more sample of the arm is just worth taking, in the unit of the mistake cost.

    .. math:: \min\bigl(e^{-F}, \; a \, P(\text{wrong})\bigr)

    The index of an arm at its bar is −∞, worth any price to the flat prior; what is shown is never more than the loss
    that is there to be saved. When a unit of the budget costs more than the dearest arm's price, it is time to stop.

    Parameters
    ----------
    urgency : float
        :math:`F`, a stopping index, possibly infinite.
    cost : float
        :math:`a > 0`, the mistake cost that went into the index.
    p_wrong : float
        In [0, 1]: how likely the verdict on the arm is wrong.
    """
    at_stake = cost * p_wrong
    # In logarithms: exp(-F) overflows close to the bar.
    if at_stake == 0.0 or -urgency >= math.log(at_stake):
        return at_stake
    return math.exp(-urgency)
