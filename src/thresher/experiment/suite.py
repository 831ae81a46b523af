"""The problems and budgets of the league: each problem at four budgets, from hardly any verdict to nearly all right.

Budgets were fixed by the literature where it names them, else by how many mistakes are left, never by who wins. Every
problem has four, so that problems and budgets weigh alike in a mean over all.
"""

from __future__ import annotations

from dataclasses import dataclass

from thresher.errors import UnknownNameError
from thresher.policy import find_policy
from thresher.problem import Problem, named

POLICIES = ("stopping", "apt", "lsa", "lsa:alpha=1.35", "fwt", "fwt-sqrt", "uniform")
KNOWING_POLICIES = ("oracle", "static-optimum", "sprt")  # they know the gaps, so they play where those are fixed
NEIGHBOURS = (
    "kl-apt", "ucbe", "csar", "augucb", "evt", "evt-pf", "kg", "opt-kg", "bayes-ucb", "pi", "tts", "ocba", "slr",
    "slr-d", "straddle", "randomised-straddle", "xie-frazier", "mtb", "utb",
)  # fmt: skip
# the rest of the literature, which plays when it is asked for
LINEUPS = ("core", "all")


def knows_gaps(policy: str) -> bool:
    """Return whether a policy is told the gaps."""
    return find_policy(policy).traits.needs_truth


@dataclass(frozen=True)
class SuiteEntry:
    """One problem of the suite.

    Parameters
    ----------
    problem : Problem
    budgets : tuple of float
        Four, increasing.
    runs : int
        Some four million pulls at the largest budget, fewer where a pull is slow.
    lineup : str
        ``"core"``, or ``"all"`` for the neighbours in the literature too.
    """

    problem: Problem
    budgets: tuple[float, ...]
    runs: int
    lineup: str = "core"

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies that play: all, or those that do not need the means where every run draws its own."""
        neighbours = [name for name in NEIGHBOURS if self.lineup == "all" and self._can_play(name)]
        knowing = () if self.problem.population is not None else KNOWING_POLICIES
        blind = tuple(name for name in neighbours if not knows_gaps(name))
        return POLICIES + blind + knowing + tuple(name for name in neighbours if knows_gaps(name))

    def _can_play(self, name: str) -> bool:
        policy = find_policy(name)
        return policy.why_not(self.problem) is None and self.budgets[0] >= policy.least_budget(self.problem)


NAMED: tuple[tuple[str, tuple[float, ...], int], ...] = (
    ("linear", (200, 500, 1000, 2000), 2000),
    ("quadratic", (200, 500, 1000, 2000), 2000),
    ("constant", (150, 200, 300, 400), 10_000),
    ("constant:K=50,gap=0.3", (200, 500, 1000, 2000), 2000),
    ("locatelli-1", (50, 100, 200, 500), 8000),
    ("locatelli-2", (50, 100, 200, 500), 8000),
    ("locatelli-3", (50, 100, 200, 500), 8000),
    ("tao-1", (200, 500, 2000, 5000), 800),
    ("tao-2", (200, 500, 2000, 5000), 800),
    ("gaussian-population:tau=0.2", (400, 1000, 2000, 5000), 800),
    ("gaussian-population:tau=0.5", (400, 1000, 2000, 5000), 800),
    ("gaussian-population:tau=1.0", (400, 1000, 2000, 5000), 800),
    ("beta-population", (100, 200, 500, 1000), 4000),
    ("one-hard", (100, 200, 400, 800), 5000),
    ("one-hard-few", (20, 40, 60, 100), 40_000),
    ("spread-costs", (200, 500, 1000, 2000), 2000),
    ("spread-costs:low=0.01", (200, 500, 1000, 2000), 2000),
)


def suite(lineup: str = "core") -> list[SuiteEntry]:
    """Return the problems of the league.

    Parameters
    ----------
    lineup : str
        Who plays: ``"core"`` or ``"all"``.

    Raises
    ------
    UnknownNameError
        If there is no such lineup.
    """
    if lineup not in LINEUPS:
        raise UnknownNameError("lineup", lineup, LINEUPS)
    return [SuiteEntry(named(name), budgets, runs, lineup) for name, budgets, runs in NAMED]
