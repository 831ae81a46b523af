"""What was decided, in a few sentences: the lead of every surface."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.number_text import amount, chance, counted, figure
from thresher.report.bars import bar_of
from thresher.report.decision_rows import HasDecision, HasSpending
from thresher.report.decisions import STANDINGS, standing_of
from thresher.report.text_terms import TextTerms

TOO_FEW = 2.0  # measurements per arm, on average, below which it is too early to judge


def is_early(rows: Sequence[HasDecision]) -> bool:
    """Return whether there are too few measurements to say which way the undecided arms lean."""
    return any(row.decision == "open" for row in rows) and sum(row.pulls for row in rows) < TOO_FEW * len(rows)


def decided_clause(rows: Sequence[HasDecision], passes: str) -> str:
    """Return how many arms pass, fail and are undecided, and which way those lean, without a full stop."""
    found = [standing_of(row, passes) for row in rows]
    undecided = sum(row.decision == "open" for row in rows)
    if undecided == len(rows) == found.count("not measured"):
        return f"{counted(len(rows), 'arm')}, not measured yet"
    counts = f"{found.count('pass'):,} pass, {found.count('fail'):,} fail, {undecided:,} undecided"
    if is_early(rows):
        return f"{counts}: too early to judge"
    leans = ", ".join(f"{found.count(word):,} {word}" for word in STANDINGS[2:] if word in found)
    return f"{counts} ({leans})" if leans else counts


def lead(rows: Sequence[HasDecision], said: TextTerms, spending: HasSpending | None = None) -> str:
    """Return how many arms pass, fail and are undecided, the bar, and the budget spent."""
    clause = decided_clause(rows, said.passes)
    if spending is not None and spending.items:
        clause += items_clause(spending.items, said.target)
    spent = "" if spending is None else spent_of(spending)
    return " ".join(filter(None, (f"{clause}.", bar_of(rows, said), spent)))


def items_clause(items: int, target: str) -> str:
    """Return the subject of verdicts: these items, or the population from which they were sampled."""
    if target == "population":
        return f" for items like {'this one' if items == 1 else f'these {items:,}'}"
    return f" on {these_items(items)}"


def these_items(items: int) -> str:
    """Return the items of a campaign by their number: ``this item``, ``these 20 items``."""
    return "this item" if items == 1 else f"these {counted(items, 'item')}"


def mistakes_sentence(rows: Sequence[HasDecision], expected: float) -> str:
    """Return how many mistakes to expect if all arms were judged now; empty if it is too early or not known."""
    if not math.isfinite(expected) or is_early(rows) or all(row.verdict == "undecided" for row in rows):
        return ""
    if len(rows) == 1:
        return f"If you acted on it now, the chance of a mistake is {chance(expected)}."
    all_arms = "both" if len(rows) == 2 else f"all {len(rows):,}"
    return f"If you acted on {all_arms} now, expect {about_mistakes(expected)}."


def about_mistakes(expected: float) -> str:
    """Return an expected number of mistakes in words: one digit, because it is an estimate."""
    if expected < 0.1:
        return "fewer than 0.1 mistakes"
    shown = figure(expected, 1) if expected < 9.5 else amount(round(expected))
    return f"about {shown} mistake{'' if shown == '1' else 's'}"


def level_sentence(said: TextTerms, rows: Sequence[HasDecision] = ()) -> str:
    """Return the level of the decisions, and why arms with a chance of error below it are undecided."""
    found = f"Decided at {said.promise}."
    waiting = sum(row.decision == "open" and row.p_wrong <= said.level_in_force for row in rows)
    if not (waiting and said.held_back_by):
        return found
    arms = f"{counted(waiting, 'arm')} {'is' if waiting == 1 else 'are'}"
    return f"{found} {arms} within that but undecided: {'its' if waiting == 1 else 'their'} {said.held_back_by}."


def essence(rows: Sequence[HasDecision], said: TextTerms, expected: float) -> str:
    """Return the bar and the mistakes to expect, for a list of campaigns that shows the counts itself."""
    return " ".join(filter(None, (bar_of(rows, said), mistakes_sentence(rows, expected))))


def spent_of(spending: HasSpending) -> str:
    """Return a sentence about the budget spent."""
    spent, budget = amount(spending.spent), amount(spending.budget)
    if spending.told == spending.spent:
        return f"{spent} of {budget} measurements spent."
    if spending.told and not spending.spent:
        return f"{counted(spending.told, 'measurement')}, none of them paid from the budget of {budget}."
    return f"{spent} of a budget of {budget} spent."
