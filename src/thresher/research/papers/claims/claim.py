"""Claims: checkable sentences of a paper, each with its place there, our verdict, and the check behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from thresher.research.papers.grid import Grid


class ClaimVerdict(StrEnum):
    """Whether a claim holds."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    FAILS = "does not hold"


@dataclass(frozen=True)
class Finding:
    """The result of a check: the verdict, and the numbers behind it."""

    verdict: ClaimVerdict
    numbers: str


@dataclass(frozen=True)
class Claim:
    """A checkable sentence of a paper, in our words.

    Parameters
    ----------
    name : str
        Its name in tests and on pages.
    place : str
        Its place in the paper.
    says : str
        What the paper says there.
    verdict : ClaimVerdict
        Whether it holds. A test runs `check` and compares.
    why : str
        The condition, the counter-example, or what was checked.
    evidence : str
        A command, or the dotted name of a function.
    figure : str
        The figure of ``thresher reproduce`` with which it is shown; empty if there is none.
    check : callable
        From the simulations to a :class:`Finding`.
    """

    name: str
    place: str
    says: str
    verdict: ClaimVerdict
    why: str
    evidence: str
    figure: str
    check: Callable[[Grid], Finding]


REGISTERED: dict[str, Claim] = {}  # filled when the modules with claims are imported


def claim(
    name: str, verdict: ClaimVerdict, *, place: str, says: str, why: str, evidence: str, figure: str = ""
) -> Callable[[Callable[[Grid], Finding]], Callable[[Grid], Finding]]:
    """Return a decorator that registers a check as a claim."""

    def enter(check: Callable[[Grid], Finding]) -> Callable[[Grid], Finding]:
        assert name not in REGISTERED, f"two claims are called {name}"
        REGISTERED[name] = Claim(name, place, says, verdict, why, evidence, figure, check)
        return check

    return enter


def found(numbers: str, *, holds: bool, if_conditioned: bool = False) -> Finding:
    """Return the finding of a check: it holds, it holds under the condition that the claim names, or it does not."""
    if holds:
        return Finding(ClaimVerdict.HOLDS, numbers)
    return Finding(ClaimVerdict.CONDITION if if_conditioned else ClaimVerdict.FAILS, numbers)
