"""Recorded data for the league and the replay, from a folder: language models, crowd labels, flaky tests.

The files are read where they lie and never copied. Models answered the same questions and images were shown to the same
workers: tables of arms by items. Order was not kept in any of the files, so each arm draws its items in a random order
of its own, and the truth of a replay is the mean of what was collected, not of the world.
"""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from thresher.errors import ExperimentError
from thresher.problem import Problem
from thresher.research.league import SuiteEntry

LANGUAGE_MODELS, BIRDS, FLAKY_TESTS = "llm_zeroeval.csv.gz", "crowd_birds.csv.gz", "flaky_tests.csv.gz"


def language_models(folder: Path, benchmark: str, *, bar: float | None = None, control: str | None = None) -> Problem:
    """Return the question which models answer more than a share `bar` of a benchmark rightly, or more than a control.

    One pull is one question, drawn without replacement: a model answers each question at most once.

    Parameters
    ----------
    folder : Path
        Where ``llm_zeroeval.csv.gz`` is.
    benchmark : str
        ``"gsm"`` (43 models, 1319 questions) or ``"math-l5"`` (41 models, 721 questions).
    bar : float, optional
        In (0, 1).
    control : str, optional
        The model that is the bar in its place.

    Raises
    ------
    ExperimentError
        If the file cannot be read, or has no such benchmark.
    """
    rows = (row for row in _rows(folder / LANGUAGE_MODELS) if row["benchmark"] == benchmark)
    answers = ((row["model"], row["item"], float(row["correct"])) for row in rows)
    return _crossed(folder / LANGUAGE_MODELS, answers, benchmark, bar=bar, control=control)


def bird_images(folder: Path, task: str = "bluebird", *, bar: float = 0.5) -> Problem:
    """Return the question which images most workers give a label.

    One pull is one worker's label, drawn without replacement: a worker labels an image once, and an image with all
    its labels is settled.

    Raises
    ------
    ExperimentError
        If the file cannot be read, or has no such task.
    """
    rows = (row for row in _rows(folder / BIRDS) if row["task"] == task)
    labels = ((row["item"], row["worker"], float(row["label"])) for row in rows)
    return _crossed(folder / BIRDS, labels, task, bar=bar)


def flaky_tests(folder: Path, *, bar: float = 0.01) -> Problem:
    """Return the question which flaky tests fail more often than in a share `bar` of their runs.

    Only counts were kept, so that outcomes are independent by construction. Tests of a project that failed equally
    often failed together: one of each group stands for all.

    Raises
    ------
    ExperimentError
        If the file cannot be read.
    """
    rates: dict[str, float] = {}
    for row in _rows(folder / FLAKY_TESTS):
        fails, runs = int(row["fails"]), int(row["runs"])
        if 0 < fails < runs:
            rates.setdefault(f"{row['project']}/{row['group']}", fails / runs)
    return Problem.bernoulli(list(rates.values()), thresholds=bar, arms=tuple(rates), name="flaky-tests")


def _crossed(
    path: Path,
    answers: Iterable[tuple[str, str, float]],
    name: str,
    *,
    bar: float | None = None,
    control: str | None = None,
) -> Problem:
    """Return the problem of answers (arm, item, value)."""
    found = {(arm, item): value for arm, item, value in answers}
    if not found:
        raise ExperimentError(f"{path} has no rows of {name!r}", instead="give the folder of the data as it was shared")
    arms, items = (list(dict.fromkeys(key[place] for key in found)) for place in (0, 1))
    table = [[found.get((arm, item), math.nan) for item in items] for arm in arms]
    return Problem.crossed(table, bar, family="bernoulli", arms=arms, name=name, control=control)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ExperimentError(f"cannot read {path}: {error}", instead="give the folder that holds it") from error


RECORDED: tuple[tuple[Callable[[Path], Problem], tuple[float, ...], int], ...] = (
    (lambda folder: language_models(folder, "gsm", bar=0.9), (215, 430, 1290, 4300), 400),
    (lambda folder: language_models(folder, "math-l5", bar=0.5), (205, 410, 1230, 4100), 400),
    (bird_images, (216, 540, 1080, 2160), 800),
    (flaky_tests, (1075, 2150, 6450, 21_500), 200),
)


def recorded_entries(folder: Path, lineup: str = "core") -> list[SuiteEntry]:
    """Return the problems of a folder that the league adds to the suite.

    Raises
    ------
    ExperimentError
        If a file is missing or cannot be read.
    """
    return [SuiteEntry(read(folder), budgets, runs, lineup) for read, budgets, runs in RECORDED]
