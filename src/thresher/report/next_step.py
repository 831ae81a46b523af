"""What to do next, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from thresher.number_text import amount, chance, counted, figure
from thresher.report.decision_rows import HasStanding, HasStoredRow

if TYPE_CHECKING:
    from thresher.policy import Offer


FEW = 10  # measurements per arm below which more of them are the advice, not other terms


def is_spent(standing: HasStanding) -> bool:
    """Return whether the budget is spent, or at most two measurements of average cost are left."""
    return standing.budget - standing.spent < 2.0 * _cost_of_one(standing)


def _cost_of_one(standing: HasStanding) -> float:
    return standing.spent / standing.told if standing.told else 1.0


def next_step(
    rows: Sequence[HasStoredRow],
    standing: HasStanding,
    offer: Callable[[], Offer | None],
    *,
    extend: str,
    go_on: str,
    goal: str,
    has_control: bool = False,
    repeats: int = 1,
) -> str:
    """Return a sentence about the next step.

    Parameters
    ----------
    rows : sequence of HasStoredRow
    standing : HasStanding
    offer : callable
        Returns the extension to offer, or None if it is not known; called only if needed.
    extend : str
        How to add to the budget, with ``{amount}`` or ``{total}`` in it.
    go_on : str
        How to continue with the remaining budget.
    goal : str
        What the campaign measures for.
    has_control : bool
        Whether the bar is a control: such a campaign cannot have the goal ``decide``.
    repeats : int
        How often an item may be asked; when all were asked that often, a larger budget does not help.
    """
    undecided = [row for row in rows if row.decision == "open"]
    if not undecided:
        return "Nothing left to do: every arm is decided."
    if standing.status == "closed":
        return "Nothing left to do: the campaign is closed."
    if standing.status == "archived":
        return "The campaign is archived: unarchive it to continue."
    if standing.status == "paused":
        return "The campaign is paused: resume it to continue."
    if standing.is_open:
        return f"{amount(standing.budget - standing.spent)} of the budget is left: {go_on}."
    if all(row.retired for row in undecided):
        return "Nothing left to do: the undecided arms are retired."
    if standing.items and all(row.retired or row.pulls >= standing.items * repeats for row in undecided):
        times = counted(repeats, "time")
        return f"Nothing left to do: every item was asked {times}. Add items, or repeats in a new campaign."
    cost = _cost_of_one(standing)
    if not is_spent(standing):
        return f"Nothing left to do: the stop rule is met, with {amount(standing.budget - standing.spent)} left."
    found = offer()
    if found is None:
        return f"More measurements may decide the rest ({extend.format(amount='AMOUNT', total='AMOUNT')})."
    help_ = "set a tolerance" if goal == "decide" or has_control else "set a tolerance, or use the goal decide"
    return _offered(found, standing, cost, extend, help_, per_arm=standing.told / len(rows))


def _offered(offer: Offer, standing: HasStanding, cost: float, extend: str, help_: str, *, per_arm: float) -> str:
    """Return a sentence about what an extension would decide and how to make it."""
    if offer.decided < 0.1:
        if per_arm < FEW:
            how = extend.format(amount="AMOUNT", total="AMOUNT")
            return f"It takes more measurements: there are {figure(per_arm)} per arm so far ({how})."
        return f"Doubling the budget would decide hardly any more arms; {help_} in a new campaign."
    count = _rounded_up(offer.measurements)
    added = count if math.isclose(cost, 1.0) else _rounded_up(offer.measurements * cost)
    how = extend.format(amount=f"{added:.12g}", total=f"{standing.budget + added:.12g}")
    arms = round(offer.decided)
    if not arms:
        sure = chance(offer.decided)
        return (
            f"{amount(round(count))} more measurements would decide another arm with a chance of about {sure} ({how})."
        )
    rest = "the rest" if arms >= offer.n_open else f"{arms:,} of the {offer.n_open:,} undecided arms"
    decided = rest if arms >= offer.n_open else f"about {rest}"
    return f"About {amount(round(count))} more measurements would decide {decided} ({how})."


def _rounded_up(value: float) -> float:
    """Return a number rounded up to two significant digits."""
    step = 10.0 ** max(math.floor(math.log10(max(value, 1.0))) - 1, 0)
    return math.ceil(value / step) * step
