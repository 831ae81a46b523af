"""The problems and budgets of the league: each problem at four budgets, from hardly any verdict to nearly all right.

Budgets were fixed by the literature where it names them, else by how many mistakes are left, never by who wins. Every
problem has four, so that problems and budgets weigh alike in a mean over all. Results carry the version of the suite.
Change it whenever a problem, a budget or a number of runs changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import Policy, find_policy
from thresher.problem import Problem, named

VERSION = "1"  # of the suite
POLICIES = ("stopping", "apt", "lsa", "lsa:alpha=1.35", "fwt", "fwt-sqrt", "uniform")
BINARY_POLICIES = ("lsa:evidence=kl",)  # with the evidence that `stopping` has on 0/1 arms: a comparison of indices
KNOWING_POLICIES = ("oracle", "static-optimum", "sprt")  # they know the gaps, so they play where those are fixed
NEIGHBOURS = (
    "kl-apt", "ucbe", "csar", "augucb", "evt-pf", "kg", "opt-kg", "bayes-ucb", "pi", "tts", "ocba", "slr",
    "slr-d", "straddle", "randomised-straddle", "xie-frazier", "mtb", "utb",
)  # fmt: skip
# the rest of the literature, which plays when it is asked for
LINEUPS = ("core", "all")


def knows_gaps(policy: str) -> bool:
    """Return whether a policy is given the gaps."""
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
    extra : tuple of str
        Further policies, which play if they can.
    """

    problem: Problem
    budgets: tuple[float, ...]
    runs: int
    lineup: str = "core"
    extra: tuple[str, ...] = ()

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies that play: all that can, those that know the gaps last."""
        invited = (*self.extra, *(NEIGHBOURS if self.lineup == "all" else ()))
        able = [name for name in dict.fromkeys(invited) if self._can_play(find_policy(name))]
        core = (*POLICIES, *BINARY_POLICIES) if self.problem.kind.is_coin else POLICIES
        blind = (*core, *(name for name in able if not knows_gaps(name)))
        knowing = () if self.problem.population is not None else KNOWING_POLICIES
        return tuple(dict.fromkeys((*blind, *knowing, *(name for name in able if knows_gaps(name)))))

    def _can_play(self, policy: Policy) -> bool:
        is_able = not policy.traits.stops and policy.why_not(self.problem) is None
        return is_able and self.budgets[0] >= policy.least_budget(self.problem)


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
    ("gaussian-population:mean=0.4,tau=0.5", (400, 1000, 2000, 5000), 800),
    ("beta-population", (100, 200, 500, 1000), 4000),
    ("beta-population:K=100,a=1,b=9,threshold=0.1", (500, 1000, 2000, 5000), 800),
    ("one-hard", (100, 200, 400, 800), 5000),
    ("one-hard-few", (20, 40, 60, 100), 40_000),
    ("spread-costs", (200, 500, 1000, 2000), 2000),
    ("spread-costs:low=0.01", (200, 500, 1000, 2000), 2000),
    ("pool", (80, 160, 320, 640), 4000),
    ("shared-items", (200, 400, 1200, 4000), 800),
)


def suite(lineup: str = "core", *, extra: Sequence[str] = (), problems: Sequence[str] = ()) -> list[SuiteEntry]:
    """Return the problems of the league.

    Parameters
    ----------
    lineup : str
        Who plays: ``"core"`` or ``"all"``.
    extra : sequence of str
        Names of further policies; each plays the problems that it can.
    problems : sequence of str
        Names of problems of the suite; all unless given.

    Raises
    ------
    UnknownNameError
        If there is no such lineup, policy or problem.
    InvalidInputError
        If a policy can play none of the problems.
    """
    if lineup not in LINEUPS:
        raise UnknownNameError("lineup", lineup, LINEUPS)
    known = [name for name, _, _ in NAMED]
    for name in problems:
        if name not in known:
            raise UnknownNameError("problem of the suite", name, known)
    entries = [
        SuiteEntry(named(name), budgets, runs, lineup, tuple(extra))
        for name, budgets, runs in NAMED
        if name in (problems or known)
    ]
    for name in extra:
        if not any(name in entry.policies for entry in entries):
            raise InvalidInputError("policy", name, rule="must be able to play one of the problems with a budget")
    return entries
