"""The league as tables for people, and in files: CSV, JSON, Markdown and a picture."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.number_text import NONE, amount, exact, figure, rate, signed
from thresher.policy import is_built_in
from thresher.report import Dots, draw_dots, markdown_table
from thresher.research.league.leagues import CHAMPION, League, LeagueCell, geometric_mean, make_folder

Rows = list[list[str]]


@dataclass(frozen=True)
class LeagueTable:
    """A title, headers and rows of text; the columns `left` are words, the others numbers."""

    title: str
    headers: list[str]
    rows: Rows
    left: tuple[int, ...] = (0,)
    dropped: tuple[int | tuple[int, ...], ...] = ()  # that a narrow terminal leaves out, the least important first

    def to_markdown(self) -> str:
        """Return the table under its title."""
        return f"## {self.title}\n\n{markdown_table(self.headers, self.rows, left=self.left)}\n"


def tables(league: League) -> list[LeagueTable]:
    """Return the tables of a league: standings, every cell, distances from the limits, the nearest rivals, losses."""
    return [standings(league), mistakes(league), distances(league), nearest(league), lost(league)]


def standings(league: League) -> LeagueTable:
    """Return the mean ratio of `stopping` to every policy, and how far each policy is from the limits."""
    ours = sum(cell.policy == CHAMPION for cell in league.cells)
    rows = [[CHAMPION, rate(1.0), "", str(ours), _far(league, CHAMPION), ""]]
    for s in league.standings:
        note = "knows the gaps" if s.policy in league.knowing else ""
        interval = f"{rate(s.low)} to {rate(s.high)}"
        rows.append([s.policy, rate(s.ratio), interval, str(s.cells), _far(league, s.policy), note])
    title = f"Mistakes of {CHAMPION!r} over those of each policy (geometric mean; below 1 is fewer)"
    return LeagueTable(title, ["policy", "ratio", "95 % interval", "cells", "over the limit", ""], rows, dropped=(3,))


def mistakes(league: League) -> LeagueTable:
    """Return one table of all problems: the mistakes of every policy in every cell, and the limit."""
    policies = _ordered(league)
    rows = []
    for group in _by_place(league):
        ours = _ours(group)
        limit = _mean(ours.limit)
        rows.append([*_place(group), *_means(group, policies), limit, rate(ours.over_limit), ours.limit_kind or ""])
    headers = ["problem", "budget", *policies, "limit", f"{CHAMPION} / limit", "kind of limit"]
    at = headers.index("limit")
    dropped = (at + 2, *_dropped(headers, 2, at))
    return LeagueTable("Mistakes, weighted by cost, and the limits", headers, rows, dropped=dropped)


def distances(league: League) -> LeagueTable:
    """Return how far every policy is from the limit, problem by problem (geometric mean of the budgets)."""
    policies, far = _ordered(league), {policy: league.over_limit(policy) for policy in league.policies}
    kinds = {cell.problem: cell.limit_kind for cell in league.cells if cell.limit_kind}
    rows = [
        [problem, *(rate(far[policy].get(problem)) for policy in policies), kind] for problem, kind in kinds.items()
    ]
    headers = ["problem", *policies, "kind of limit"]
    dropped = (len(headers) - 1, *_dropped(headers, 1, len(headers) - 1))
    return LeagueTable("Mistakes over the limit (geometric mean of the budgets)", headers, rows, dropped=dropped)


def nearest(league: League) -> LeagueTable:
    """Return, for every cell, `stopping` and the best policy among those given the same information."""
    rows: Rows = []
    for group in _by_place(league):
        rivals = [cell for cell in group if cell.policy != CHAMPION and not cell.knows_gaps]
        rows += [_paired(min(rivals, key=lambda cell: cell.mean))] if rivals else []
    title = f"{CHAMPION!r} and the best of the others, run by run"
    return LeagueTable(title, _PAIRED, rows, _PAIRED_LEFT, _LEFT_OUT)


def lost(league: League) -> LeagueTable:
    """Return every cell in which `stopping` made more mistakes than a policy with no more information."""
    rows = [[*_paired(cell), "yes" if cell.is_lost_for_sure else ""] for cell in league.lost()]
    title = f"Where {CHAMPION!r} lost, clearest first"
    return LeagueTable(title, [*_PAIRED, "beyond chance"], rows, _PAIRED_LEFT, _LEFT_OUT)


_PAIRED = [
    *("problem", "budget", "policy", "its mistakes", "difference", "95 % interval of the difference"),
    *("ratio", "95 % interval of the ratio"),
]
_PAIRED_LEFT = (0, 2)
_LEFT_OUT = ((4, 5), 3, 7)


def _paired(cell: LeagueCell) -> list[str]:
    return [
        cell.problem,
        exact(cell.budget),
        cell.policy,
        _mean(cell.mean),
        signed(figure(cell.difference), cell.difference),
        f"{signed(figure(cell.low), cell.low)} to {signed(figure(cell.high), cell.high)}",
        rate(cell.ratio),
        NONE if math.isnan(cell.ratio) else f"{rate(cell.ratio_low)} to {rate(cell.ratio_high)}",
    ]


def _dropped(headers: Sequence[str], first: int, last: int) -> list[int]:
    """Return the order in which columns of policies are left out: the user's own after the built-in ones."""
    return sorted(
        (i for i in range(first, last) if headers[i] != CHAMPION),
        key=lambda i: (not is_built_in(headers[i].partition(":")[0]), -i),
    )


def _ordered(league: League) -> list[str]:
    """Return the policies, those that know the gaps last."""
    return sorted(league.policies, key=lambda policy: policy in league.knowing)


def _far(league: League, policy: str) -> str:
    """Return the geometric mean of a policy's mistakes over the limits of all problems."""
    return rate(geometric_mean(list(league.over_limit(policy).values())))


def _ours(group: list[LeagueCell]) -> LeagueCell:
    return next(cell for cell in group if cell.policy == CHAMPION)


def _place(group: list[LeagueCell]) -> list[str]:
    return [group[0].problem, exact(group[0].budget)]


def _means(group: list[LeagueCell], policies: Sequence[str]) -> list[str]:
    found = {cell.policy: cell for cell in group}
    return [_mean(found[policy].mean) if policy in found else NONE for policy in policies]


def _mean(value: float | None) -> str:
    """Return a number of mistakes to four digits."""
    return amount(value, 4)


def _by_place(league: League) -> list[list[LeagueCell]]:
    groups: dict[tuple[str, float], list[LeagueCell]] = {}
    for cell in league.cells:
        groups.setdefault((cell.problem, cell.budget), []).append(cell)
    return list(groups.values())


def write_league(league: League, folder: Path) -> list[Path]:
    """Write ``league.csv``, ``.json``, ``.md``, ``.png`` and ``.svg`` and return where they are.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed; the files without pictures are there then.
    ExperimentError
        If the folder cannot be made.
    """
    make_folder(folder)
    paths = [folder / f"league.{ending}" for ending in ("csv", "json", "md", "png", "svg")]
    cells = [cell.to_dict() for cell in league.cells]
    with paths[0].open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(cells[0]))
        writer.writeheader()
        writer.writerows(cells)
    paths[1].write_text(json.dumps(league.to_dict(), allow_nan=False, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(table.to_markdown() for table in tables(league))
    played = f"`{league.about.get('command', '')}`, suite {league.suite}, seed {league.seed}"
    paths[2].write_text(f"# League\n\n{played}\n\n{text}", encoding="utf-8")
    draw_league(league, paths[3:])
    return paths


def draw_league(league: League, paths: list[Path]) -> None:
    """Draw the mistakes of every policy over those of `stopping`, problem by problem, with the limit."""
    series = [Dots(s.policy, _over_ours(league, s.policy)) for s in league.standings]
    limits = {problem: 1.0 / ratio for problem, ratio in league.over_limit(CHAMPION).items()}
    draw_dots(
        [*series, Dots("limit", limits, is_limit=True)],
        league.problems,
        title="",
        xlabel=f"mistakes over those of {CHAMPION!r}",
        paths=paths,
    )


def _over_ours(league: League, policy: str) -> dict[str, float]:
    logs: dict[str, list[float]] = {}
    for cell in league.cells:
        if cell.policy == policy and cell.ratio > 0.0:
            logs.setdefault(cell.problem, []).append(-math.log(cell.ratio))
    return {problem: math.exp(sum(each) / len(each)) for problem, each in logs.items()}
