"""The league: every policy on every problem of the suite, with common random numbers and the limits of theory."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import ExperimentError
from thresher.number_text import rate
from thresher.report import notebook_table
from thresher.research.league.suite import VERSION, SuiteEntry, knows_gaps, suite
from thresher.research.simulation import Progress, Result, about, limit_of, runs_of, simulate, strict
from thresher.types import Floats

CHAMPION = "stopping"
FORMAT = "thresher-league-1"  # of a result in JSON
CUSTOM = "custom"  # the suite of problems that the caller chose
STEPS = 100  # of the progress bar, for each problem


@dataclass(frozen=True)
class LeagueCell:
    """One policy on one problem at one budget, compared with `stopping` in the same runs and with the limit.

    Attributes
    ----------
    mean, stderr : float
        Cost of the mistakes, over all runs.
    difference, low, high : float
        Of `stopping` minus this policy, run by run, with its 95 % interval.
    ratio, ratio_low, ratio_high : float
        Of `stopping` over this policy; not a number where the policy made no mistake.
    limit, limit_kind : float, str, or None
        A lower bound on the loss of every policy.
    """

    problem: str
    budget: float
    policy: str
    knows_gaps: bool
    runs: int
    mean: float
    stderr: float
    difference: float
    low: float
    high: float
    ratio: float
    ratio_low: float
    ratio_high: float
    limit: float | None
    limit_kind: str | None

    @property
    def over_limit(self) -> float | None:
        """The mean over the limit."""
        return self.mean / self.limit if self.limit else None

    @property
    def is_lost(self) -> bool:
        """Whether `stopping` made more mistakes here than a policy with no more information."""
        return not self.knows_gaps and self.difference > 0.0

    @property
    def is_lost_for_sure(self) -> bool:
        """Whether the whole interval is on that side."""
        return self.is_lost and self.low > 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as ``league --json`` prints it: what is not a number is None."""
        row = dict(vars(self)) | {"over_limit": self.over_limit}
        row["budget"] = int(self.budget) if float(self.budget).is_integer() else self.budget
        found: dict[str, Any] = strict(row)
        return found


@dataclass(frozen=True)
class LeagueStanding:
    """The geometric mean of the ratios of `stopping` to a policy over all cells where both made mistakes."""

    policy: str
    ratio: float
    low: float
    high: float
    cells: int


@dataclass(frozen=True, eq=False)
class League:
    """The results of a league.

    Parameters
    ----------
    cells : list of LeagueCell
    standings : list of LeagueStanding
        By policy, those that know the gaps last.
    seed : int
    about : dict
        Versions and the command.
    suite : str
        The version of the suite, or ``"custom"`` for other problems.
    """

    cells: list[LeagueCell]
    standings: list[LeagueStanding]
    seed: int
    about: dict[str, Any] = field(default_factory=dict)
    suite: str = CUSTOM

    @property
    def problems(self) -> list[str]:
        """The problems that played, in order."""
        return list(dict.fromkeys(cell.problem for cell in self.cells))

    @property
    def policies(self) -> list[str]:
        """The policies that played, in order."""
        return list(dict.fromkeys(cell.policy for cell in self.cells))

    @property
    def knowing(self) -> set[str]:
        """The policies that know the gaps."""
        return {cell.policy for cell in self.cells if cell.knows_gaps}

    def lost(self) -> list[LeagueCell]:
        """Return every cell that `stopping` lost, the clearest first."""
        return sorted((cell for cell in self.cells if cell.is_lost), key=lambda cell: cell.low / cell.difference)[::-1]

    def over_limit(self, policy: str) -> dict[str, float]:
        """Return the geometric mean of a policy's mistakes over the limit, problem by problem.

        Budgets at which some policy made no mistake in any run are left out for all, so that all have the same cells.
        """
        unknown = {(cell.problem, cell.budget) for cell in self.cells if not cell.over_limit}
        found: dict[str, list[float]] = {}
        for cell in self.cells:
            if cell.policy == policy and cell.over_limit and (cell.problem, cell.budget) not in unknown:
                found.setdefault(cell.problem, []).append(cell.over_limit)
        return {problem: geometric_mean(ratios) for problem, ratios in found.items()}

    @property
    def summary(self) -> str:
        """One sentence: how many cells `stopping` lost."""
        lost = sum(cell.is_lost_for_sure for cell in self.cells)
        whole = f"{len(self.cells)} cells of {len(self.problems)} problems"
        return f"Of {whole} `stopping` lost {len(self.lost())}, {lost} of them beyond the noise of the runs."

    def _repr_html_(self) -> str:
        rows = [
            [each.policy, rate(each.ratio), f"{rate(each.low)} to {rate(each.high)}", str(each.cells)]
            for each in self.standings
        ]
        heads = ["policy", "mistakes of stopping / its mistakes", "95 % interval", "cells"]
        return notebook_table(self.summary, heads, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``league --json`` prints."""
        return {
            "format": FORMAT,
            "suite": self.suite,
            "seed": self.seed,
            "standings": [strict(vars(standing)) for standing in self.standings],
            "cells": [cell.to_dict() for cell in self.cells],
            "lost": [cell.to_dict() for cell in self.lost()],
            "about": self.about,
        }


def league(
    entries: Sequence[SuiteEntry] | None = None,
    *,
    lineup: str = "core",
    extra: Sequence[str] = (),
    problems: Sequence[str] = (),
    runs: int | None = None,
    seed: int = 0,
    out: Path | str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> League:
    """Return the mistakes of every policy on every problem, compared run by run.

    Parameters
    ----------
    entries : sequence of SuiteEntry, optional
        Problems, budgets and runs; the suite unless given.
    lineup : str
        Who plays the suite: ``"core"``, or ``"all"`` for the neighbours in the literature too, ten times the work.
    extra : sequence of str
        Names of further policies that play the suite; each plays the problems that it can.
    problems : sequence of str
        Names of problems, to play a part of the suite.
    runs : int, optional
        Of every problem, at least two; each has its own number unless given.
    seed : int
        Random seed.
    out : path, optional
        Folder where finished runs are kept, one file for each problem, and from which an interrupted league goes on.
    workers : int, optional
        How many threads; one for each core unless given.
    progress : callable, optional
        Called with (steps done, steps in all).
    say : callable, optional
        Called with a sentence when something takes long.

    Raises
    ------
    UnknownNameError
        If there is no such lineup, policy or problem.
    InvalidInputError
        If a policy can play none of the problems.
    ExperimentError
        If a folder or a file cannot be used, or holds the runs of another league.
    """
    runs = None if runs is None else runs_of(runs, least=2)
    version = VERSION if entries is None else CUSTOM
    entries = suite(lineup, extra=extra, problems=problems) if entries is None else entries
    folder = None if out is None else make_folder(Path(out) / "runs")
    results = []
    for i, entry in enumerate(entries):
        results.append(
            simulate(
                entry.problem,
                entry.policies,
                budgets=entry.budgets,
                runs=runs or entry.runs,
                seed=seed,
                workers=workers,
                out=None if folder is None else folder / f"{slug(entry.problem.name)}.db",
                progress=None if progress is None else _share(progress, i, len(entries)),
                say=say,
            )
        )
    return league_of(entries, results, seed=seed, suite=version)


def league_of(entries: Sequence[SuiteEntry], results: Sequence[Result], *, seed: int, suite: str = CUSTOM) -> League:
    """Return the league of results that are there already."""
    cells = [cell for entry, result in zip(entries, results, strict=True) for cell in _cells(entry, result)]
    everybody = dict.fromkeys(policy for result in results for policy in result.policies)
    rivals = sorted((policy for policy in everybody if policy != CHAMPION), key=knows_gaps)
    return League(cells, [_standing(policy, results) for policy in rivals], seed, about(), suite)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers; not a number without any."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def slug(name: str) -> str:
    """Return a name that any file system takes."""
    return re.sub(r"[^\w.=-]+", "-", name)


def make_folder(path: Path) -> Path:
    """Return a folder, made if it is not there.

    Raises
    ------
    ExperimentError
        If it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExperimentError(f"cannot make the folder {path}: {error}", instead="give another one") from error
    return path


def _share(progress: Progress, i: int, whole: int) -> Progress:
    return lambda done, chunks: progress(STEPS * i + STEPS * done // max(chunks, 1), STEPS * whole)


def _cells(entry: SuiteEntry, result: Result) -> list[LeagueCell]:
    limits = [limit_of(entry.problem, budget) for budget in result.asked.budgets]
    rows = {(row.policy, row.budget): row for row in result.rows()}
    cells = []
    for policy in result.policies:
        for limit, paired in zip(limits, result.compare(CHAMPION, policy), strict=True):
            row = rows[policy, paired.budget]
            cells.append(
                LeagueCell(
                    problem=result.problem.name,
                    budget=paired.budget,
                    policy=policy,
                    knows_gaps=knows_gaps(policy),
                    runs=result.runs,
                    mean=row.mean,
                    stderr=row.stderr,
                    difference=paired.difference,
                    low=paired.low,
                    high=paired.high,
                    ratio=paired.ratio,
                    ratio_low=paired.ratio_low,
                    ratio_high=paired.ratio_high,
                    limit=None if limit is None else limit[1],
                    limit_kind=None if limit is None else limit[0],
                )
            )
    return cells


def _standing(policy: str, results: Sequence[Result]) -> LeagueStanding:
    r"""Return the mean of :math:`\log(\bar s / \bar r)` over all cells, as a ratio, with its 95 % interval.

    By the delta method one run adds :math:`s_i / \bar s - r_i / \bar r` to the logarithm of a cell. Cells of one
    problem share their runs, so these are added up run by run before their spread is taken.
    """
    logs, variance, cells = 0.0, 0.0, 0
    for result in results:
        if policy not in result.policies:
            continue
        ours, theirs = result.losses(CHAMPION), result.losses(policy)
        both = (ours.mean(axis=0) > 0.0) & (theirs.mean(axis=0) > 0.0)
        if not both.any():
            continue
        one, other = ours[:, both], theirs[:, both]
        logs += float(np.log(one.mean(axis=0) / other.mean(axis=0)).sum())
        variance += _variance((one / one.mean(axis=0) - other / other.mean(axis=0)).sum(axis=1))
        cells += int(both.sum())
    mean, error = (logs / cells, math.sqrt(variance) / cells) if cells else (math.nan, math.nan)
    return LeagueStanding(policy, math.exp(mean), math.exp(mean - 1.96 * error), math.exp(mean + 1.96 * error), cells)


def _variance(values: Floats) -> float:
    """Return the variance of the mean of the values."""
    return float(values.var(ddof=1) / values.size)
