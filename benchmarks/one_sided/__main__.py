"""The tables of docs/explanation/one-sided.md: ``python -m benchmarks.one_sided limit rules [--data DIR]``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.one_sided.any_rule import drawn_from, limit
from benchmarks.one_sided.ends import ends_of, mistakes
from benchmarks.one_sided.rules import RULES, verdicts
from benchmarks.recorded_data import bird_images, flaky_tests, language_models
from benchmarks.replay import endless
from thresher.problem import Problem, named
from thresher.report.markdown import markdown_table
from thresher.types import Ints

ARMS_TIMES_RUNS = 12_000
MOST_RUNS = 800


def problems(folder: Path | None) -> Iterator[tuple[str, Problem, tuple[int, ...]]]:
    """Yield what a line is called, its problem, and the pulls per arm."""
    for n_arms in (10, 40, 200):
        yield f"one-sided: 0.02 to 0.3, K = {n_arms}", Problem.gaussian(np.linspace(0.02, 0.3, n_arms)), (5, 20)
        yield f"one-sided: all at 0.2, K = {n_arms}", Problem.gaussian(np.full(n_arms, 0.2)), (5, 20)
    yield "one-sided: 0/1, 0.52 to 0.8, K = 40", Problem.bernoulli(np.linspace(0.52, 0.8, 40)), (5, 20)
    for name in ("linear", "quadratic", "constant:K=50,gap=0.3", "one-hard", "one-hard-few"):
        yield f"`{name}`", named(name), (2, 8)
    yield "`constant`", named("constant"), (2, 3)
    for mean in (0.0, 0.25, 0.5):
        name = f"gaussian-population:K=100,mean={mean:g}"
        yield f"`{name}`", named(name), (2, 20)
    yield "Beta(8, 2), bar 0.8, K = 36", named("beta-population:K=36,a=8,b=2,threshold=0.8"), (5, 20)
    yield "36 at 1, 4 at -0.1", Problem.gaussian([1.0] * 36 + [-0.1] * 4), (2, 5)
    yield "9 at 1, 1 at -0.1", Problem.gaussian([1.0] * 9 + [-0.1]), (5, 20)
    yield "-0.1 to 1, K = 40", Problem.gaussian(np.linspace(-0.1, 1.0, 40)), (5, 20)
    for n_arms in (40, 200):
        yield f"-0.009 or 0.313, K = {n_arms}", drawn_from((-0.02 * 5**-0.5, 0.7 * 5**-0.5), n_arms), (5,)
    if folder is not None:
        yield from recorded(folder)


def recorded(folder: Path) -> Iterator[tuple[str, Problem, tuple[int, ...]]]:
    """Yield recorded data, drawn with replacement."""
    yield "gsm, 0.9", endless(language_models(folder, "gsm", bar=0.9)), (5, 30)
    yield "math-l5, 0.5", endless(language_models(folder, "math-l5", bar=0.5)), (5, 10)
    yield "math-l5, 0.4", endless(language_models(folder, "math-l5", bar=0.4)), (5, 10)
    yield "bluebird, 0.5", endless(bird_images(folder)), (2, 5)
    yield "flaky tests, 0.01", flaky_tests(folder), (5, 30)


def rules(scale: float, seed: int, folder: Path | None) -> None:
    """Print the mistakes of each rule over those of the sign, paired."""
    rows = []
    for name, problem, pulls in problems(folder):
        runs = max(4, int(scale * min(MOST_RUNS, ARMS_TIMES_RUNS // problem.n_arms)))
        for per_arm in pulls:
            ends = ends_of(problem, budget=per_arm * problem.n_arms, runs=runs, seed=seed)
            sign = mistakes(ends.is_above(problem), problem, ends)
            judged = verdicts(problem, ends)
            ratios = [ratio(mistakes(judged[rule], problem, ends), sign) for rule in RULES]
            rows.append([name, str(per_arm), str(runs), f"{sign.mean():.2f}", *ratios])
    print(markdown_table(["problem", "per arm", "runs", "sign", *RULES], rows))


def ratio(mistakes: Ints, sign: Ints) -> str:
    """Return the ratio of two means with its standard error, paired."""
    if not sign.any():
        return "–"
    value = mistakes.mean() / sign.mean()
    error = np.sqrt(((mistakes - value * sign) ** 2).mean() / sign.size) / sign.mean()
    return f"{value:.2f} ± {error:.2f}"


PARTS: dict[str, Callable[[float, int, Path | None], None]] = {"limit": limit, "rules": rules}


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all unless given")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of runs")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--data", type=Path, help="folder of recorded data")
    given = parser.parse_args()
    for part in given.part or PARTS:
        print(f"\n{part}\n", flush=True)
        PARTS[part](given.scale, given.seed, given.data)


if __name__ == "__main__":
    main()
