"""What a claim is: a checkable sentence of a paper, where it stands, our verdict, and the check that holds us to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from thresher.papers.grid import Grid


class ClaimVerdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    FAILS = "does not hold"


@dataclass(frozen=True)
class Finding:
    """What a check found now: the verdict, and the numbers that it rests on."""

    verdict: ClaimVerdict
    numbers: str


@dataclass(frozen=True)
class Claim:
    """A checkable sentence of a paper, in our words.

    Parameters
    ----------
    name : str
        By which tests and pages call it.
    place : str
        Where it stands in the paper.
    says : str
        What the paper says there.
    verdict : ClaimVerdict
        What became of it; a test runs `check` and compares.
    why : str
        The condition, the counter-example, or what was checked.
    evidence : str
        A command, or a function of ours by its dotted name.
    figure : str
        The figure of ``thresher reproduce`` beside which it is shown; empty if there is none.
    check : callable
        From the simulations to what is so.
    """

    name: str
    place: str
    says: str
    verdict: ClaimVerdict
    why: str
    evidence: str
    figure: str
    check: Callable[[Grid], Finding]


ENTERED: dict[str, Claim] = {}  # as the modules of claims were loaded


def claim(
    name: str, verdict: ClaimVerdict, *, place: str, says: str, why: str, evidence: str, figure: str = ""
) -> Callable[[Callable[[Grid], Finding]], Callable[[Grid], Finding]]:
    """Return a decorator that enters a check among the claims."""

    def enter(check: Callable[[Grid], Finding]) -> Callable[[Grid], Finding]:
        assert name not in ENTERED, f"two claims are called {name}"
        ENTERED[name] = Claim(name, place, says, verdict, why, evidence, figure, check)
        return check

    return enter


def found(numbers: str, *, holds: bool, if_conditioned: bool = False) -> Finding:
    """Return the finding of a check: it holds, it holds under the condition that the claim names, or it does not."""
    if holds:
        return Finding(ClaimVerdict.HOLDS, numbers)
    return Finding(ClaimVerdict.CONDITION if if_conditioned else ClaimVerdict.FAILS, numbers)
