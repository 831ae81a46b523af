"""How a campaign reached its decisions, in two sentences."""

from __future__ import annotations

from thresher.number_text import exact
from thresher.report.text_terms import TextTerms
from thresher.terms import DeclaredTerms, in_words


def method_of(terms: DeclaredTerms, said: TextTerms) -> str:
    """Return how arms were measured and when an arm is decided, in two sentences."""
    aim, policy = "the fewest mistakes", terms.policy
    if terms.goal == "decide":
        aim, policy = "the most decided arms", "decide"
    within = f", apart from a tolerance of {exact(terms.tolerance)} around the bar" if terms.tolerance else ""
    normal = ", for normally distributed outcomes" if terms.family.startswith("gaussian") else ""
    kind = "compared with the bar of its arm" if terms.quantile else in_words("family", terms.family)
    chosen = "all were imported, and none was paid from the budget"
    if not said.is_imported:
        chosen = f"after each one thresher chose the next arm to measure, for {aim} within the budget (policy {policy})"
    return (
        f"Each outcome is {kind}; {chosen}. "
        f"An arm is decided when its evidence meets the guarantee: {said.promise}{within}{normal}; "
        "the thin line of each arm is an interval that stays valid however often it is read."
    )
