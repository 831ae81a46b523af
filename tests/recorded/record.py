"""Write ``recorded.json``: what simulations gave, so that `test_recorded.py` notices when they give something else.

Run this only when numbers are meant to change, or after adding cases, and say in the commit why each old line changed:

    .venv/bin/python -m tests.recorded.record

A redesign that is meant to keep the numbers must not run it. All numbers are whole, so that a last bit that another
machine's `log` rounds otherwise hardly ever shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th
from reproduction.feasible import simulate_feasible
from thresher.problem import Population, Problem, find_problem
from thresher.research.simulation import with_items
from thresher.types import Floats

FILE = Path(__file__).parent / "recorded.json"
RUNS = 16

PULL_COSTS = [1.0, 0.25, 3.3, 2.0, 0.7, 1.5]
COSTS = [1.0, 4.0, 0.5, 2.0, 9.0, 1.0]
LEVELS = [-0.8, -0.1, 0.15, 0.3, 0.6, 1.2]
WAVE = [0.9, -1.3, 0.4, 2.1, -0.2, -0.6, 1.1, 0.1, -1.7, 0.7]  # samples around a level, shifted from arm to arm


def _samples(sizes: list[int]) -> dict[str, list[float]]:
    """Return this many samples of each arm around its level."""
    return {
        f"arm {k}": [round(LEVELS[k] + WAVE[(3 * k + 7 * i) % 10] + 0.01 * i, 3) for i in range(size)]
        for k, size in enumerate(sizes)
    }


DRY = _samples([3, 8, 20, 40, 12, 2])  # 85 samples in all
DRY_BINARY = {arm: [float(value > 0.0) for value in values] for arm, values in DRY.items()}

SHARES = [0.15, 0.45, 0.55, 0.7, 0.95]  # of the items that an arm answers right, about
N_ITEMS = 12


def _table(*, steps: int, n_arms: int = 5, shift: int = 0) -> Floats:
    """Return answers of arms to the same items, in steps from 0 to 1: easy items, hard ones, and some chance."""
    arms, items = np.arange(n_arms)[:, None], np.arange(N_ITEMS)[None, :]
    hardness = ((5 * items) % N_ITEMS + (7 * items + 4 * arms + shift) % 5 - 2.0) / N_ITEMS
    return np.rint(np.clip(np.array(SHARES)[:n_arms, None] - hardness + 0.5, 0.0, 1.0) * steps) / steps


def _with_holes(table: Floats) -> Floats:
    """Return a table in which the second arm lacks two items and the last one."""
    table = table.copy()
    table[1, [3, 8]] = table[-1, 0] = np.nan
    return table


ANSWERS, SCORES, RATES = _table(steps=1), _table(steps=8), _table(steps=10)
HISTORY, JUDGE = _with_holes(_table(steps=1, n_arms=3, shift=2)), _with_holes(_table(steps=4, shift=1))
SIGNALS: dict[str, Any] = {"history": HISTORY, "proxy": JUDGE}
PART_COSTS: dict[str, Any] = {"costs": COSTS[:5], "pull_costs": PULL_COSTS[:5]}

PROBLEMS: dict[str, Problem] = {
    "linear": find_problem("linear:K=8"),
    "one-hard-few": find_problem("one-hard-few"),
    "toy": find_problem("toy:K=8"),
    "bernoulli": Problem.bernoulli([0.1, 0.35, 0.45, 0.52, 0.6, 0.9], thresholds=0.5),
    "bounded": Problem.bounded(LEVELS, thresholds=[0.0, 0.1, 0.0, 0.5, 0.5, 1.0], low=-2.0, high=3.0),
    "unknown-variance": Problem.gaussian_unknown_variance(LEVELS, sigma=[1.0, 2.0, 0.5, 1.0, 0.3, 3.0]),
    "spread-costs": find_problem("spread-costs:K=8"),
    "pull-costs": Problem.gaussian(LEVELS, costs=COSTS, pull_costs=PULL_COSTS),
    "gaussian-population": find_problem("gaussian-population:K=10"),
    "beta-population": find_problem("beta-population:K=10"),
    "table-population": Problem.bernoulli(
        [0.5] * 6, thresholds=0.3, population=Population("table", values=(0.05, 0.2, 0.3, 0.5))
    ),
    "dry": Problem.replay(DRY, 0.4),
    "dry-bernoulli": Problem.replay(DRY_BINARY, 0.5, pull_costs=PULL_COSTS),
    "replay": Problem.replay(DRY, 0.4, replacement=True),
    "replay-small-sigma": Problem.replay(DRY, 0.4, replacement=True, sigma=0.2),  # rules that stop are often wrong
    "increasing": Problem.gaussian([-1.0, -0.6, -0.3, 0.1, 0.5, 0.9]),
    "hill": Problem.bernoulli([0.1, 0.3, 0.7, 0.9, 0.6, 0.2], thresholds=0.5),
    "control": Problem.gaussian(LEVELS, control=3, margin=-0.2),
    "control-costs": Problem.gaussian(LEVELS, control=0, costs=COSTS, pull_costs=PULL_COSTS),
    "control-bernoulli": Problem.bernoulli([0.1, 0.35, 0.45, 0.52, 0.6, 0.9], control=2, margin="10%"),
    "control-bounded": Problem.bounded(LEVELS, control=1, margin=0.3, low=-2.0, high=3.0),
    "control-unknown-variance": Problem.gaussian_unknown_variance(
        LEVELS, sigma=[1.0, 2.0, 0.5, 1.0, 0.3, 3.0], control=2
    ),
    "items": Problem.crossed(ANSWERS, 0.5),
    "items-bounded": Problem.crossed(_with_holes(SCORES), [0.3, 0.5, 0.5, 0.6, 0.8], **PART_COSTS),
    "items-history": Problem.crossed(_with_holes(ANSWERS), 0.5, history=HISTORY),
    "items-proxy": Problem.crossed(SCORES, 0.6, proxy=JUDGE),
    "items-signals": Problem.crossed(ANSWERS, 0.5, **SIGNALS, **PART_COSTS),
    "items-control": Problem.crossed(_with_holes(ANSWERS), control=2),
    "items-control-bounded": Problem.crossed(SCORES, control=1, margin="20%", **SIGNALS),
    "items-apart": with_items(find_problem("gaussian-population:K=5"), N_ITEMS),
    "repeats": Problem.repeated(_with_holes(RATES), 0.5, repeats=3),
    "repeats-costs": Problem.repeated(RATES, [0.3, 0.5, 0.5, 0.6, 0.8], repeats=2, **PART_COSTS),
}
BUDGETS = {
    "toy": [12, 30],
    "unknown-variance": [40, 150.5],
    "dry": [40, 200],
    "increasing": [300, 600],
    "hill": [300, 600],
    "control": [20, 60],
    "control-costs": [30, 90],
    "control-bernoulli": [20, 60],
    "control-bounded": [20, 60],
    "control-unknown-variance": [20, 60],
    "items": [12, 40],
    "items-bounded": [20, 60],
    "items-history": [12, 40],
    "items-proxy": [12, 40],
    "items-signals": [20, 60],
    "items-control": [12, 40],
    "items-control-bounded": [12, 40],
    "items-apart": [12, 40],
    "repeats": [20, 100],
    "repeats-costs": [20, 100],
}
USUAL_BUDGETS = [30, 200]
FEW: dict[str, Any] = {"runs": 8}
FLIGHTS: list[dict[str, Any]] = [{"in_flight": 1}, {"in_flight": 3}, {"in_flight": 4, "delays": "random"}]

INDICES = [
    "apt", "apt:epsilon=0.1", "lsa", "lsa:alpha=1.35", "lsa:prior_mean=0,prior_sd=1", "fwt", "fwt-sqrt", "fwt-gaps",
    "stopping", "stopping:prior_mean=0.1,prior_sd=0.3", "stopping-gaps", "uniform", "sprt",
]  # fmt: skip
STATIC = ["uniform-iid", "oracle", "static-optimum"]
COUPLED = [
    "decide",
    "decide:guarantee=anytime",
    "more-than",
    "more-than:m=1",
    "stopping-fitted",
    "stopping-fitted:arms=20,share=1",
]
WITH_PHASES = ["csar", "augucb", "augucb:rho=0.1"]
IN_ONE_PHASE = [
    "ucbe", "ucbe:scale=4,epsilon=0.1", "evt-pf", "evt-pf:epsilon=0.1", "bayes-ucb",
    "bayes-ucb:c=0,prior=0.5", "pi", "pi:prior=2", "tts", "tts:prior=0.5", "ocba", "slr", "slr:epsilon=0.1", "slr-d",
    "slr-d:epsilon=0.05", "straddle", "straddle:width=1.2", "randomised-straddle",
]  # fmt: skip
BINARY = [
    "kl-apt", "lsa:evidence=kl", "lsa:prior_a=1,prior_b=2", "stopping:evidence=squared", "fwt:evidence=kl", "kg",
    "kg:a=2,b=0.5", "opt-kg", "opt-kg:a=0.5,b=2", "xie-frazier", "xie-frazier:a=2,b=0.5",
]  # fmt: skip
SURE = [
    "hdoc", "lucb-g", "apt-g", "lil-hdoc", "lil-hdoc:epsilon=0.1", "lil-hdoc:epsilon=0.05,first=5", "jj-fdr",
    "jj-fdr:find=all", "jj-fwer", "jj-fwer:find=all", "murphy", "sticky-tas", "sticky-tas:log_c=3", "glr-apt",
]  # fmt: skip
WITH_STRUCTURE = [
    "stopping", "stopping:structure=pool", "stopping:structure=none", "lsa", "lsa:structure=pool", "fwt",
    "fwt:structure=none", "fwt-sqrt",
]  # fmt: skip
WITHOUT_STRUCTURE = ["apt", "stopping-gaps", "uniform-iid", "more-than:m=1", "evt-pf", "csar"]
SEVERAL_COORDINATES = ["md-apt", "md-sar", "md-ucbe", "md-ucbe:scale=10", "uniform"]


@dataclass(frozen=True)
class Case:
    """Runs of one policy on one problem.

    Parameters
    ----------
    problem : str
        A key of `PROBLEMS`, or the name of a problem of several coordinates.
    policy : str
    options : dict
        Arguments of the simulation; with ``alpha`` it ends when the policy stops by itself, with its one budget as the
        most pulls of a run.
    """

    problem: str
    policy: str
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """What the file calls it."""
        return f"{self.policy} on {self.problem}: {', '.join(f'{key}={v}' for key, v in self.options.items())}"


def outcome_of(case: Case) -> dict[str, Any]:
    """Return the arrays of a case; the one place that calls the package.

    Returns
    -------
    dict of str to ndarray
        ``losses`` and ``spent`` (in millionths), shape (runs, B), and ``pulls``, shape (B, K); with ``alpha`` also
        ``stopped``, shape (runs, 1), and ``outputs``, shape (runs, K); with ``keep_mistakes`` also ``halves``, shape
        (runs, B, K).
    """
    options = {"runs": RUNS, "workers": 1} | case.options
    if case.problem not in PROBLEMS:
        judged = simulate_feasible(case.problem, case.policy, **options).judged[case.policy]
        return {"losses": judged.failures, "pulls": judged.pulls}
    problem = PROBLEMS[case.problem]
    counted = th.simulate(problem, case.policy, **options).counted[case.policy]
    arrays = {"losses": counted.losses, "spent": counted.spent, "pulls": counted.pulls}
    by_itself = {"stopped": counted.stopped, "outputs": counted.outputs} if "alpha" in options else {}
    return arrays | by_itself | ({"halves": counted.halves} if "keep_mistakes" in options else {})


def numbers_of(case: Case) -> dict[str, Any]:
    """Return the whole numbers that are recorded of a case.

    Losses budget by budget and run by run, in thousandths unless all are whole; money spent, pulls of each arm, runs
    that stopped by themselves, pulls until the first, the second, … output and half mistakes as sums over the runs.
    """
    outcome = outcome_of(case)
    losses = outcome.pop("losses").T
    is_whole = bool((losses == np.rint(losses)).all())
    sums = {key: array if key == "pulls" else array.sum(axis=0) for key, array in outcome.items()}
    return {
        "losses" if is_whole else "thousandths": _whole(losses if is_whole else 1000.0 * losses),
        **{key: array.tolist() for key, array in sums.items()},
    }


def _whole(values: Floats) -> Any:
    return np.rint(values).astype(np.int64).tolist()


def cases() -> list[Case]:
    """Return every case, in the order of the file."""
    several = [*_everyone(), *_families(), *_losses(), *_early_ends(), *_in_flight(), *_by_themselves()]
    return [*several, *_several_coordinates(), *_controls(), *_items(), *_repeats()]


def _cases(problems: Iterable[str], policies: Iterable[str], **options: Any) -> Iterator[Case]:
    for problem in problems:
        for policy in policies:
            yield Case(problem, policy, {"budgets": BUDGETS.get(problem, USUAL_BUDGETS)} | options)


def _everyone() -> Iterator[Case]:
    """Every policy that spends a budget where it is at home, at several budgets and at one alone."""
    yield from _cases(["linear"], [*INDICES, *STATIC, *COUPLED, *WITH_PHASES, *IN_ONE_PHASE])
    yield from _cases(["bernoulli"], BINARY)
    yield from _cases(["increasing", "hill"], ["utb"])
    yield from _cases(["increasing"], ["mtb"])
    yield from _cases(["linear"], ["lsa", "oracle", "uniform-iid", "ucbe", "csar"], budgets=[200])


def _families() -> Iterator[Case]:
    """Some policies of every kind on all kinds of outcomes, costs and pools."""
    known = ["apt", "fwt", "uniform", "sprt", "oracle", "static-optimum", "ucbe"]
    blind = ["lsa", "stopping", "stopping-gaps", "uniform-iid", "more-than:m=1", "evt-pf", "straddle", "csar", "augucb"]
    fitted, posterior = ["stopping-fitted"], ["pi", "bayes-ucb", "tts"]
    yield from _cases(["toy"], ["apt", "lsa", "fwt-sqrt", "uniform", "uniform-iid", "oracle"])
    yield from _cases(["one-hard-few", "pull-costs", "dry", "replay"], [*known, *blind, *fitted, *posterior])
    yield from _cases(["bernoulli", "dry-bernoulli"], [*known, *blind, *posterior])
    yield from _cases(["bounded", "unknown-variance"], [*known, *blind, *fitted])
    yield from _cases(["spread-costs"], ["lsa", "stopping", "oracle", "static-optimum", "stopping-fitted", "evt-pf"])
    yield from _cases(["gaussian-population"], [*blind, *fitted, *posterior])
    yield from _cases(
        ["beta-population", "table-population"], ["lsa", "stopping", "kl-apt", "uniform-iid", "kg", "slr"]
    )


def _losses() -> Iterator[Case]:
    """The other losses, the tolerance, and another random seed."""
    options: list[dict[str, Any]] = [
        {"loss": "gaps"}, {"loss": "any"}, {"loss": "more-than:m=1"}, {"tolerance": 0.3},
        {"loss": "gaps", "tolerance": 0.3}, {"seed": 2**63 - 1},
    ]  # fmt: skip
    for each in options:
        yield from _cases(["linear", "pull-costs"], ["stopping", "uniform-iid", "more-than:m=1", "straddle"], **each)
        yield from _cases(["toy", "dry"], ["lsa", "oracle"], **each)


def _early_ends() -> Iterator[Case]:
    """Judging at the peak, and stopping by price."""
    yield from _cases(["linear", "toy", "dry"], ["apt", "lsa", "uniform", "oracle", "uniform-iid"], recommend="peak")
    yield from _cases(["bernoulli", "unknown-variance", "pull-costs"], ["lsa", "stopping", "fwt"], recommend="peak")
    prices: list[dict[str, Any]] = [{"stop_price": 0.005}, {"stop_price": 0.0005, "recommend": "peak"}]
    for price in prices:
        yield from _cases(["linear", "bernoulli", "pull-costs", "dry"], ["lsa", "stopping", "fwt"], **price)


def _in_flight() -> Iterator[Case]:
    """Pulls in flight, which come back as a batch or in random order."""
    several = ["apt", "stopping", "fwt-sqrt", "uniform", "evt-pf", "straddle"]
    for delays in ("batch", "random"):
        for outstanding in (1, 3, 7):
            options = {"in_flight": outstanding, "delays": delays}
            yield from _cases(["linear", "pull-costs"], several, **options)
            yield from _cases(["dry", "bernoulli"], ["lsa", "pi", "ucbe"], **options)
        yield from _cases(["replay"], IN_ONE_PHASE, in_flight=3, delays=delays)
        yield from _cases(["bernoulli"], BINARY, in_flight=3, delays=delays)


def _by_themselves() -> Iterator[Case]:
    """Policies that stop by themselves; at 300 pulls many runs are cut off."""
    yield from _cases(["linear"], SURE, alpha=0.05, budgets=[300])
    yield from _cases(["linear", "bernoulli"], SURE, alpha=0.1, budgets=[6000])
    yield from _cases(["bounded", "replay-small-sigma"], SURE, alpha=0.2, budgets=[1000])
    yield from _cases(
        ["gaussian-population", "table-population"], ["hdoc", "jj-fdr", "murphy"], alpha=0.1, budgets=[1000]
    )


def _several_coordinates() -> Iterator[Case]:
    """Policies for arms of several coordinates."""
    yield from _cases(["katz-samuels-1", "katz-samuels-4", "katz-samuels-dose"], SEVERAL_COORDINATES, budgets=[60, 300])


def _controls() -> Iterator[Case]:
    """A control as the bar: what ranks arms by it, one pull at a time, until a price, and in flight."""
    problems = ["control", "control-costs", "control-bernoulli", "control-bounded", "control-unknown-variance"]
    yield from _cases(problems, ["stopping", "lsa", "fwt-sqrt", "uniform"], **FEW)
    yield from _cases(problems[:3], ["stopping", "fwt"], stop_price=0.02, **FEW)
    yield from _cases(problems[:1], ["stopping", "uniform"], loss="gaps", tolerance=0.2, **FEW)
    yield from _cases(problems[:1], ["stopping"], keep_mistakes=True, **FEW)
    for flight in FLIGHTS:
        yield from _cases(problems[:3], ["stopping", "lsa"], **flight, **FEW)


def _items() -> Iterator[Case]:
    """Items that arms share, and a pool of its own for each arm, as far as a policy uses them."""
    signalled = ["items-history", "items-proxy", "items-signals"]
    controlled = ["items-control", "items-control-bounded"]
    yield from _cases(["items", "items-bounded"], [*WITH_STRUCTURE, "uniform"], **FEW)
    yield from _cases(signalled, ["stopping", "stopping:structure=pool", "lsa", "fwt-sqrt"], **FEW)
    yield from _cases(controlled, ["stopping", "stopping:structure=pool", "lsa", "fwt", "uniform"], **FEW)
    yield from _cases(["items-apart"], ["stopping", "lsa:structure=none", "fwt", "uniform-iid"], **FEW)
    yield from _cases(["items"], WITHOUT_STRUCTURE, **FEW)
    yield from _cases(["items-bounded"], ["stopping-fitted"], **FEW)
    yield from _cases(
        ["items", "items-bounded"], ["stopping:structure=pool", "fwt:structure=none"], recommend="peak", **FEW
    )
    yield from _cases(["items", "items-signals", "items-control"], ["stopping", "lsa"], stop_price=0.02, **FEW)
    yield from _cases(["items", "items-signals"], ["stopping", "uniform"], keep_mistakes=True, **FEW)
    for flight in FLIGHTS:
        yield from _cases(["items", "items-signals", "items-control"], ["stopping", "fwt"], **flight, **FEW)
        yield from _cases(["items-bounded"], ["stopping:structure=pool", "lsa:structure=none"], **flight, **FEW)
        yield from _cases(["items"], ["uniform", "evt-pf"], **flight, **FEW)


def _repeats() -> Iterator[Case]:
    """Items that may be asked several times."""
    yield from _cases(["repeats", "repeats-costs"], [*WITH_STRUCTURE, "uniform"], **FEW)
    yield from _cases(["repeats"], WITHOUT_STRUCTURE, **FEW)
    yield from _cases(["repeats"], ["stopping", "stopping:structure=none"], stop_price=0.01, **FEW)
    for flight in FLIGHTS:
        yield from _cases(["repeats"], ["stopping", "lsa:structure=pool", "fwt:structure=none"], **flight, **FEW)
        yield from _cases(["repeats-costs"], ["stopping", "fwt-sqrt"], **flight, **FEW)


def write() -> None:
    """Write the file, one line for each case."""
    lines = [f"{json.dumps(case.name)}: {json.dumps(numbers_of(case), separators=(',', ':'))}" for case in cases()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write()
