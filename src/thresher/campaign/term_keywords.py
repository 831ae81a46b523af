"""The terms of a campaign as keywords, for editors and type checkers.

Generated from thresher.terms by tools/term_keywords.py; do not edit.
"""

from typing import Literal, TypedDict


class TermKeywords(TypedDict, total=False):
    """The terms of :meth:`thresher.Campaign.create`."""

    family: Literal["bernoulli", "bounded", "gaussian", "gaussian-unknown-variance", "two-point"]
    """Distribution of the outcomes."""
    policy: str
    """Policy that chooses the next arm; 'thresher policies' lists them."""
    lease: float
    """Seconds until a ticket without an outcome expires."""
    expiry: Literal["reissue", "forfeit"]
    """Whether the budget of an expired ticket is issued again or counts as spent."""
    low: str | float
    """Smallest possible outcome."""
    high: str | float
    """Largest possible outcome."""
    stop_price: float
    """Stop when no measurement saves this many mistakes per unit of budget; 0 never stops."""
    stop_mistakes: float
    """Stop when at most this many mistakes are expected; 0 never stops."""
    false_pass: float
    """Cost of calling an arm above its bar by mistake, in units of the arm's cost."""
    false_fail: float
    """Cost of calling an arm below its bar by mistake, in units of the arm's cost."""
    risk: str | float
    """Highest chance of error at which an arm is decided; the level of the intervals."""
    guarantee: Literal["calibrated", "anytime", "fdr", "fwer"]
    """Whether the risk applies to each decision, or to all together."""
    goal: Literal["mistakes", "decide"]
    """Whether to make few mistakes or to decide many arms."""
    passes: Literal["above", "below"]
    """On which side of its bar an arm passes."""
    tolerance: str | float
    """How far beyond the bar a mean must be for a verdict to be wrong."""
    target: Literal["items", "population"]
    """Whether a verdict is about the items of the campaign, or about a population that they are a sample of."""
    repeats: int
    """How often an arm may be asked each item; the truth of an arm is then the mean of its expected outcomes."""
    pass_k: int
    """Compare with the bar the chance that all of this many trials succeed; with items and repeats, report it."""
    quantile: float
    """Compare this quantile of the outcomes with the bar, such as 0.95, whatever their distribution; 0 compares the mean."""  # noqa: E501
    sigma_check: Literal["withhold", "warn"]
    """Whether arms are decided before sigma is checked, and while outcomes vary more than it allows."""
    unit: str
    """Unit of the outcomes, such as ms."""
    control: str
    """Name of the arm whose mean, with the margin, is the bar of all others; without one, thresholds are."""
    margin: str | float
    """How far above the control's mean the bar is: a number, or per cent of that mean, such as '-2%'."""
    least_cost: float
    """Least cost that may be told with an outcome, in the unit of the budget."""
    most_cost: float
    """Largest cost that may be told with an outcome; with 0, a token of scope work must not tell costs."""
