"""Whether the chance of error is what it says in campaigns with items, driven by recorded answers.

python -m benchmarks.items_calibration DATA [--runs 40]

DATA is the folder of the recorded data. The default policy drives a campaign over the answers of language models to
the questions of a benchmark. After 10, 30 and 100 outcomes per arm on average the mistakes that it expects are compared
with those that it makes, and so is the share of wrong decisions among the arms whose chance of error is at most 5 %.
Each is computed with several weights of the common share of the variance (`BORROWED` in
:mod:`thresher.inference.answers`). Arms get their items in random orders, so figures vary by about their standard
errors.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

import thresher as th
from benchmarks.recorded_data import language_models
from thresher.campaign.storage import MemoryStorage
from thresher.inference import answers, doubt, sides_of
from thresher.inference.bars import bar_of
from thresher.problem import Question, Structure
from thresher.report.markdown import markdown_table
from thresher.types import Floats

CELLS = (("math-l5", 0.5), ("math-l5", 0.4), ("gsm", 0.9), ("gsm", 0.8))
PER_ARM = (10, 30, 100)
WEIGHTS = (0.0, 10.0, 30.0, 100.0, 1e9)
RISK = 0.05


class Count(NamedTuple):
    """Of one moment of one campaign: mistakes expected and made, arms decided, and decisions that are wrong."""

    expected: float
    made: float
    decided: float
    wrong: float


def tables(recorded: Floats, bar: float) -> Iterator[Floats]:
    """Yield the outcomes of a campaign at each number of outcomes per arm (on average); NaN where there is none."""
    n_arms, n_items = recorded.shape
    names = [str(k) for k in range(n_arms)]
    campaign = th.Campaign.create(
        MemoryStorage(), "c", arms=names, items=n_items, threshold=bar, budget=n_arms * PER_ARM[-1]
    )
    tickets = campaign.tickets()
    for n, before in zip(PER_ARM, (0, *PER_ARM), strict=False):
        for ticket in islice(tickets, n_arms * (n - before)):
            assert ticket.item is not None
            campaign.tell(ticket, recorded[int(ticket.arm), int(ticket.item) - 1])
        yield campaign.items().table


def counted(table: Floats, is_above: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], bar: float) -> Count:
    """Return what is expected and what is so."""
    n_arms, n_items = table.shape
    question = Question.of("bernoulli", thresholds=np.full(n_arms, bar), structure=Structure(np.full(n_arms, n_items)))
    known = answers.answers_of(question, table)
    sides = sides_of(bar_of(question), known.seen, known.means)
    claimed = doubt(bar_of(question), known.effective(question), told=known.seen).of(sides)
    is_wrong, is_decided = (sides > 0) != is_above, claimed <= RISK
    wrong, decided, both = (float(each.sum()) for each in (is_wrong, is_decided, is_wrong & is_decided))
    return Count(float(claimed.sum()), wrong, decided, both)


def rows(folder: Path, benchmark: str, bar: float, runs: int) -> Iterator[list[str]]:
    """Yield one row of the table for each number of outcomes per arm and each weight."""
    recorded = outcomes_of(folder, benchmark, bar)
    is_above = recorded.mean(axis=1) > bar
    found: dict[tuple[int, float], list[Count]] = {}
    for _ in range(runs):
        for n, table in zip(PER_ARM, tables(recorded, bar), strict=True):
            for weight in WEIGHTS:
                answers.BORROWED = weight
                found.setdefault((n, weight), []).append(counted(table, is_above, bar))
    for (n, weight), counts in found.items():
        expected, made, decided, wrong = np.array(counts).T
        error = (made - expected).std(ddof=1) / np.sqrt(runs)
        share = wrong.sum() / max(decided.sum(), 1.0)
        yield [
            f"{benchmark}, {bar:g}", str(n), "all" if weight > 1e6 else f"{weight:g}", f"{expected.mean():.2f}",
            f"{made.mean():.2f}", f"{(made - expected).mean():+.2f} ± {error:.2f}", f"{decided.mean():.1f}",
            f"{share:.1%}",
        ]  # fmt: skip


def outcomes_of(folder: Path, benchmark: str, bar: float) -> Floats:
    """Return the recorded answers, shape (K, N)."""
    problem = language_models(folder, benchmark, bar=bar)
    assert problem.truth.pool is not None
    return problem.truth.pool.values.reshape(problem.n_arms, -1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args()
    heads = ["data, bar", "per arm", "weight", "expected", "made", "made less expected", "decided", "wrong of decided"]
    lines = [row for cell in CELLS for row in rows(given.data, *cell, given.runs)]
    print(markdown_table(heads, lines, left=(0,)))


if __name__ == "__main__":
    main()
