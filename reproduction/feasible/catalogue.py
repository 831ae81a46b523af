"""The experiments of :cite:p:`katz-samuels2018` by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reproduction.feasible.problem import FeasibleProblem
from reproduction.feasible.region import Region, box
from thresher.errors import UnknownNameError
from thresher.problem import bind, parse_spec
from thresher.types import Floats

SIGMA = 0.5  # variance 1/4


def _diagonal(values: Sequence[float]) -> Floats:
    """Return arms whose five coordinates are alike."""
    return np.repeat(np.array(values)[:, np.newaxis], 5, axis=1)


def _cube() -> Region:
    return box([0.0] * 5, [1.0] * 5)


def katz_samuels_1() -> FeasibleProblem:
    """Twenty arms around the cube [0, 1]⁵: four groups and two arms that are forgiven."""
    values = [0.8] * 2 + [0.9] * 2 + [1.1] * 2 + [1.2] * 2 + [0.975, 1.025] + [0.3] * 10
    return FeasibleProblem(means=_diagonal(values), region=_cube(), tolerance=0.075, sigma=SIGMA)


def katz_samuels_2() -> FeasibleProblem:
    """Twenty arms around the cube [0, 1]⁵: four groups, nothing forgiven."""
    values = [0.8] * 2 + [0.9] * 2 + [1.1] * 2 + [1.2] * 2 + [0.95, 1.05] + [0.3] * 10
    return FeasibleProblem(means=_diagonal(values), region=_cube(), sigma=SIGMA)


def katz_samuels_3(rest: float = 1.15) -> FeasibleProblem:
    """Twenty arms around the cube [0, 1]⁵: ten in steps of 0.05, two of them forgiven, and ten at `rest`."""
    steps = [0.75, 0.8, 0.85, 0.9, 0.975, 1.025, 1.25, 1.2, 1.15, 1.1]
    return FeasibleProblem(means=_diagonal([*steps, *[rest] * 10]), region=_cube(), tolerance=0.075, sigma=SIGMA)


def katz_samuels_4(unit_rows: bool = True) -> FeasibleProblem:
    """Four groups of five arms in and around {x ≥ 0, Σx ≤ 2}."""
    region = Region(np.vstack([-np.eye(5), np.ones((1, 5))]), np.array([0.0] * 5 + [2.0]), unit_rows)
    values = [0.2] * 5 + [1.85 * 0.2] * 5 + [2.25 * 0.2] * 5 + [1.95 * 0.2] * 5
    return FeasibleProblem(means=_diagonal(values), region=region, tolerance=0.1, sigma=SIGMA)


def katz_samuels_5(unit_rows: bool = True) -> FeasibleProblem:
    """Five groups of four arms in and around the points whose coordinates increase."""
    region = Region(np.eye(5)[:4] - np.eye(5)[1:], np.zeros(4), unit_rows)
    groups = [
        (0.0, 0.2, 0.4, 0.6, 0.8),
        (0.0, 0.15, 0.3, 0.45, 0.6),
        (0.0, 0.2, 0.15, 0.6, 0.8),
        (0.0, 0.2, 0.05, 0.6, 0.8),
        (0.0, 0.2, 0.4, 0.2, 0.0),
    ]
    return FeasibleProblem(means=np.repeat(groups, 4, axis=0), region=region, tolerance=0.1, sigma=SIGMA)


def katz_samuels_dose() -> FeasibleProblem:
    """Four doses of a drug and a placebo: effective in more than 40 %, side effects in less than 50 %."""
    chances = np.array([(0.34, 0.519), (0.469, 0.612), (0.465, 0.465), (0.537, 0.61), (0.36, 0.58)])
    region = box([0.4, -np.inf], [np.inf, 0.5])
    return FeasibleProblem(means=chances, region=region, family="bernoulli")


FEASIBLE_PROBLEMS: dict[str, Callable[..., FeasibleProblem]] = {
    "katz-samuels-1": katz_samuels_1,
    "katz-samuels-2": katz_samuels_2,
    "katz-samuels-3": katz_samuels_3,
    "katz-samuels-4": katz_samuels_4,
    "katz-samuels-5": katz_samuels_5,
    "katz-samuels-dose": katz_samuels_dose,
}


def named_feasible(text: str) -> FeasibleProblem:
    """Return the problem of a name such as ``katz-samuels-1`` or ``katz-samuels-4:unit_rows=no``.

    Raises
    ------
    UnknownNameError
        If there is no such problem or parameter.
    InvalidInputError
        If a parameter cannot be read.
    """
    spec = parse_spec(text)
    if spec.name not in FEASIBLE_PROBLEMS:
        raise UnknownNameError("problem of several coordinates", spec.name, FEASIBLE_PROBLEMS)
    build = FEASIBLE_PROBLEMS[spec.name]
    return replace(build(**bind(build, spec)), name=text)
