"""How a campaign reached its decisions, in two sentences."""

from __future__ import annotations

from thresher.report.decisions import Said
from thresher.report.measure import figure
from thresher.terms import DeclaredTerms, in_words


def method_of(terms: DeclaredTerms, said: Said) -> str:
    """Return how arms were measured and when an arm is decided, in two sentences."""
    aim, policy = "the fewest wrong verdicts", terms.policy
    if terms.goal == "decide":
        aim, policy = "the most decided arms", "decide"
    within = f", apart from a tolerance of {figure(terms.tolerance)} around the bar" if terms.tolerance else ""
    return (
        f"Each outcome is {in_words('family', terms.family)}; after each one thresher chose the next arm to measure, "
        f"for {aim} within the budget (policy {policy}). "
        f"An arm is decided when its evidence meets the guarantee: {said.promise}{within}; the interval of each arm "
        "stays valid however often it is read."
    )
