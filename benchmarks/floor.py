"""The least that a pull of the level sweep can cost: its innermost loop alone, and one visit to each arm.

    python -m benchmarks.floor

In the loop alone no sum ever leaves its interval. A visit brings an arm to a level that is known beforehand: there is
no other level, nothing is taken back, no last pulls are settled, no verdicts are made, and the boundary table is
complete. Next to it is the cost of a pull with all work included. The times are those of the thread, so that a busy
machine matters less; each is the least of several.
"""

import argparse
import math
import time
from collections.abc import Mapping

import numpy as np

from thresher.jit import kernel
from thresher.policy import Ranking, find_index_policy
from thresher.problem import named
from thresher.research.engine import arms_of
from thresher.research.engine.boundary import END, TABLE, place_of, slot_for
from thresher.research.engine.climb import climb_quickly
from thresher.research.engine.draws import Arms
from thresher.research.engine.table import Rows, Table, new_table, start_run
from thresher.research.simulation.bench import POLICIES, PULLS, PULLS_PER_ARM, Work, own_draws, pulls_of

MOST = 1 << 15  # pulls of an arm, where a level that is being tried is far too high


@kernel
def table_of(ranking: Ranking, arms: Arms) -> Table:
    """Return the table of a policy on a problem."""
    return new_table(ranking, arms)


@kernel
def visit(table: Table, arms: Arms, level: float, most: int, runs: int) -> int:
    """Visit every arm once in each run, to pull it up to a level, at most so often; return how many pulls that took."""
    boundaries, rows, pulls = table.boundaries, table.rows, 0
    slot = slot_for(boundaries, level)
    for run in range(runs):
        start_run(table, arms, 1, run)
        for k in range(rows.size):
            bounds = boundaries.tables[place_of(boundaries.groups, slot, rows[k]["group"])]
            pulls += climb_quickly(table.kind, bounds, rows[k], -math.inf, level, most).pulls
    return pulls


@kernel
def pull_on(table: Table, arms: Arms, bounds: Rows, most: int) -> int:
    """Pull the first arm so often, by a boundary table; return how often it was."""
    start_run(table, arms, 1, 0)
    return climb_quickly(table.kind, bounds[0], table.rows[0], -math.inf, math.inf, most).pulls


def pulls_alone() -> Work:
    """Return pulls in the innermost loop, with intervals that no sum leaves."""
    problem, bounds = named("linear:K=2"), np.zeros(1, TABLE)
    bounds["end"], bounds["reach"], arms = END, math.inf, arms_of(problem)
    table = table_of(find_index_policy("lsa").rank(problem), arms)
    return Work(lambda: pull_on(table, arms, bounds, PULLS), pull_on(table, arms, bounds, PULLS))


def least_seconds(works: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Return how long a unit of each work takes at least; each is tried once in a round."""
    found = dict.fromkeys(works, math.inf)
    for _ in range(rounds):
        for name, work in works.items():
            start = time.thread_time()
            work.go()
            found[name] = min(found[name], (time.thread_time() - start) / work.units)
    return found


def level_of(policy: str, n_arms: int) -> float:
    """Return the level that takes about as many pulls per arm as `thresher bench` makes."""
    problem = named(f"linear:K={n_arms}")
    ranking, arms = find_index_policy(policy).rank(problem), arms_of(problem)
    low, high = 0.0, 16.0
    for _ in range(10):
        level = 0.5 * (low + high)
        is_low = visit(table_of(ranking, arms), arms, level, MOST, 2) < 2 * PULLS_PER_ARM * n_arms
        low, high = (level, high) if is_low else (low, level)
    return low


def visits_of(policy: str, n_arms: int) -> Work:
    """Return visits to every arm of ``linear:K`` in several runs, with a complete table."""
    problem, level, runs = named(f"linear:K={n_arms}"), level_of(policy, n_arms), max(2, 20_000 // n_arms)
    arms = arms_of(problem)
    table = table_of(find_index_policy(policy).rank(problem), arms)
    pulls = visit(table, arms, level, MOST, runs)
    print(f"{policy}: {pulls / runs / n_arms:.0f} pulls per arm", flush=True)
    return Work(lambda: visit(table, arms, level, MOST, runs), pulls)


def main() -> None:
    """Print what a pull takes, in draws from our own streams."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arms", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    works = {"draw": own_draws(), "loop": pulls_alone()}
    works |= {policy: visits_of(policy, options.arms) for policy in POLICIES}
    works |= {f"{policy}, all work": pulls_of(policy, options.arms) for policy in POLICIES}
    found = least_seconds(works, options.rounds)
    for name, seconds in found.items():
        print(f"{name}: {seconds / found['draw']:.2f} stream draws")


if __name__ == "__main__":
    main()
