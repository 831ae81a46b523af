"""The league as tables for people, and in files: CSV, JSON, Markdown and a picture."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.experiment.leagues import CHAMPION, League, LeagueCell
from thresher.experiment.suite import KNOWING_POLICIES, knows_gaps
from thresher.report.dot_plot import Dots, draw_dots
from thresher.report.markdown import markdown_table

Rows = list[list[str]]


@dataclass(frozen=True)
class LeagueTable:
    """A title, headers and rows of text; the first `text_columns` columns are words, the others numbers."""

    title: str
    headers: list[str]
    rows: Rows
    text_columns: int = 1
    dropped: tuple[int, ...] = ()  # columns that a narrow terminal leaves out, the least important first

    @property
    def left(self) -> tuple[int, ...]:
        """The columns of words."""
        return tuple(range(self.text_columns))

    def to_markdown(self) -> str:
        """Return the table under its title."""
        return f"## {self.title}\n\n{markdown_table(self.headers, self.rows, left=self.left)}\n"


def tables(league: League) -> list[LeagueTable]:
    """Return the tables of a league: standings, every cell, limits, the nearest rival of each cell, and losses."""
    return [standings(league), mistakes(league), limits(league), nearest(league), lost(league)]


def standings(league: League) -> LeagueTable:
    """Return the mean ratio of `stopping` to every policy."""
    rows = []
    for s in league.standings:
        note = "knows the gaps" if knows_gaps(s.policy) else ""
        rows.append([s.policy, f"{s.ratio:.3f}", f"{s.low:.3f} to {s.high:.3f}", str(s.cells), note])
    title = f"Mistakes of {CHAMPION!r} over those of each policy (geometric mean; below 1 is fewer)"
    return LeagueTable(title, ["policy", "ratio", "95 % interval", "cells", ""], rows)


def mistakes(league: League) -> LeagueTable:
    """Return the mistakes of every policy that does not know the gaps, in every cell."""
    policies = [policy for policy in league.policies if not knows_gaps(policy)]
    rows = [[*_place(group), *_means(group, policies)] for group in _by_place(league)]
    headers = ["problem", "budget", *policies]
    dropped = tuple(i for i in reversed(range(2, len(headers))) if headers[i] != CHAMPION)
    return LeagueTable("Mistakes, weighted by cost", headers, rows, dropped=dropped)


def limits(league: League) -> LeagueTable:
    """Return, for every cell, `stopping` beside policies that know the gaps and beside the limit."""
    rows, played = [], [policy for policy in league.policies if knows_gaps(policy)]
    knowing = [*KNOWING_POLICIES, *(policy for policy in played if policy not in KNOWING_POLICIES)]
    for group in _by_place(league):
        ours = next(cell for cell in group if cell.policy == CHAMPION)
        limit = "–" if ours.limit is None else number(ours.limit)
        means = _means(group, [CHAMPION, *knowing])
        rows.append([*_place(group), *means, limit, _ratio(ours.over_limit), ours.limit_kind or ""])
    headers = ["problem", "budget", CHAMPION, *knowing, "limit", f"{CHAMPION} / limit", "limit is"]
    title = "Beside policies that know the gaps, and beside the limits"
    at = headers.index("limit")
    return LeagueTable(title, headers, rows, dropped=(at + 2, *reversed(range(3, at))))


def nearest(league: League) -> LeagueTable:
    """Return, for every cell, `stopping` beside the policy that made the fewest mistakes of those that know no more."""
    rows: Rows = []
    for group in _by_place(league):
        rivals = [cell for cell in group if cell.policy != CHAMPION and not cell.knows_gaps]
        rows.append(_paired(min(rivals, key=lambda cell: cell.mean)))
    title = f"{CHAMPION!r} beside the best of the others, run by run"
    return LeagueTable(title, _PAIRED, rows, dropped=(4, 5, 3))


def lost(league: League) -> LeagueTable:
    """Return every cell in which `stopping` made more mistakes than a policy that knows no more than it does."""
    rows = [[*_paired(cell), "yes" if cell.is_lost_for_sure else ""] for cell in league.lost()]
    title = f"Where {CHAMPION!r} lost, clearest first"
    return LeagueTable(title, [*_PAIRED, "beyond chance"], rows, dropped=(4, 5, 3))


_PAIRED = ["problem", "budget", "policy", "its mistakes", "difference", "95 % interval", "ratio", "95 % interval "]


def _paired(cell: LeagueCell) -> list[str]:
    return [
        cell.problem,
        f"{cell.budget:g}",
        cell.policy,
        number(cell.mean),
        f"{cell.difference:+.3g}",
        f"{cell.low:+.3g} to {cell.high:+.3g}",
        _ratio(cell.ratio),
        f"{_ratio(cell.ratio_low)} to {_ratio(cell.ratio_high)}",
    ]


def _place(group: list[LeagueCell]) -> list[str]:
    return [group[0].problem, f"{group[0].budget:g}"]


def _means(group: list[LeagueCell], policies: Sequence[str]) -> list[str]:
    found = {cell.policy: cell for cell in group}
    return [number(found[policy].mean) if policy in found else "–" for policy in policies]


def _by_place(league: League) -> list[list[LeagueCell]]:
    groups: dict[tuple[str, float], list[LeagueCell]] = {}
    for cell in league.cells:
        groups.setdefault((cell.problem, cell.budget), []).append(cell)
    return list(groups.values())


def number(value: float) -> str:
    """Return a number to four significant digits."""
    return f"{value:.4g}"


def _ratio(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def write_league(league: League, folder: Path) -> list[Path]:
    """Write ``league.csv``, ``.json``, ``.md``, ``.png`` and ``.svg`` and return where they are.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed; the files without pictures are there then.
    """
    paths = [folder / f"league.{ending}" for ending in ("csv", "json", "md", "png", "svg")]
    cells = [cell.to_dict() for cell in league.cells]
    with paths[0].open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(cells[0]))
        writer.writeheader()
        writer.writerows(cells)
    paths[1].write_text(json.dumps(league.to_dict(), allow_nan=False, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(table.to_markdown() for table in tables(league))
    paths[2].write_text(f"# League\n\n`{league.about['command']}`\n\n{text}", encoding="utf-8")
    draw_league(league, paths[3:])
    return paths


def draw_league(league: League, paths: list[Path]) -> None:
    """Draw the mistakes of every policy over those of `stopping`, problem by problem, and the limit beside them."""
    series = [Dots(s.policy, _over_ours(league, s.policy)) for s in league.standings]
    limits = {problem: 1.0 / ratio for problem, ratio in league.over_limit(CHAMPION).items()}
    draw_dots(
        [*series, Dots("limit", limits, is_limit=True)],
        league.problems,
        title="",
        xlabel=f"mistakes over those of {CHAMPION!r} (geometric mean of four budgets)",
        paths=paths,
    )


def _over_ours(league: League, policy: str) -> dict[str, float]:
    logs: dict[str, list[float]] = {}
    for cell in league.cells:
        if cell.policy == policy and cell.ratio > 0.0:
            logs.setdefault(cell.problem, []).append(-math.log(cell.ratio))
    return {problem: math.exp(sum(each) / len(each)) for problem, each in logs.items()}
