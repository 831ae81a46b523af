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
    leans = leaning_counts(rows, passes)
    return f"{decided_counts(rows, passes)} ({leans})" if leans else decided_counts(rows, passes)


def decided_counts(rows: Sequence[HasDecision], passes: str) -> str:
    """Return how many arms pass, fail and are undecided, and whether it is too early to judge those."""
    if _is_untouched(rows, passes):
        return f"{counted(len(rows), 'arm')}, not measured yet"
    found = [row.decision for row in rows]
    counts = f"{found.count('pass'):,} pass, {found.count('fail'):,} fail, {found.count('open'):,} undecided"
    return f"{counts}: too early to judge" if is_early(rows) else counts


def leaning_counts(rows: Sequence[HasDecision], passes: str) -> str:
    """Return which way the undecided arms lean; empty if none is undecided, or if it is too early to judge."""
    if is_early(rows) or _is_untouched(rows, passes):
        return ""
    found = [standing_of(row, passes) for row in rows]
    return ", ".join(f"{found.count(word):,} {word}" for word in STANDINGS[2:] if word in found)


def _is_untouched(rows: Sequence[HasDecision], passes: str) -> bool:
    return all(standing_of(row, passes) == "not measured" for row in rows)


def lead(rows: Sequence[HasDecision], said: TextTerms, spending: HasSpending | None = None) -> str:
    """Return how many arms pass, fail and are undecided, the bar, and the budget spent."""
    clause = decided_clause(rows, said.passes)
    if spending is not None and spending.items:
        clause += items_clause(spending.items, said.target)
    spent = "" if spending is None else spent_of(spending)
    return " ".join(filter(None, (f"{clause}.", bar_of(rows, said), spent)))


def items_clause(items: int, target: str) -> str:
    """Return what verdicts are about: these items, or a population that they are a sample of."""
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
    """Return the level of the decisions, and what keeps arms undecided whose chance of error is below that level."""
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
