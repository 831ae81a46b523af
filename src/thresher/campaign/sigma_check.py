"""Whether outcomes vary as the given standard deviation says: decisions wait until it is checked."""

from __future__ import annotations

import math

from thresher.campaign.ledger import Terms
from thresher.campaign.verdicts import Verdicts
from thresher.inference import FEWEST_OUTCOMES, exceeds_sigma, squared_deviations
from thresher.problem import Question, Statistics
from thresher.report import figure

BETTER = "give the right sigma, or use the family gaussian-unknown-variance, in a new campaign"


def checked_sigma(found: Verdicts, terms: Terms, question: Question, seen: Statistics) -> Verdicts:
    """Return verdicts whose decisions are withheld, with a note, unless outcomes vary as the given sigma says.

    With the term ``sigma_check="warn"`` decisions stay.
    """
    squares, degrees = squared_deviations(question, seen)
    if exceeds_sigma(squares, degrees):
        vary = f"outcomes vary about {figure(math.sqrt(squares / degrees), 2)} times as much as sigma says"
        if terms.sigma_check == "warn":
            return found.noting([f"{vary}, so verdicts are less certain than shown; {BETTER}"])
        return found.withheld(f"no arm is decided: {vary}; {BETTER}, or decide anyway with --sigma-check warn")
    if degrees < FEWEST_OUTCOMES and terms.sigma_check == "withhold" and any(row.decision != "open" for row in found):
        return found.withheld(
            f"no arm is decided before sigma is checked by {FEWEST_OUTCOMES} outcomes beyond the first of each arm: "
            f"so far there are {degrees}; decide without the check with --sigma-check warn"
        )
    return found
