"""The least that a pull of the level sweep can cost: one visit to each arm, at a level that is known beforehand.

    python -m benchmarks.floor

There is no other level, nothing is taken back, no last pulls are settled, no verdicts are made, and the boundary table
is complete. The times are those of the thread, so that a busy machine matters less; each is the least of several.
"""

import argparse
import math
import time
from collections.abc import Mapping

from thresher.engine import arms_of
from thresher.engine.boundary import place_of, slot_for
from thresher.engine.climb import climb_quickly
from thresher.engine.draws import Arms
from thresher.engine.table import Table, new_table, start_run
from thresher.experiment.bench import POLICIES, PULLS_PER_ARM, Work, own_draws
from thresher.jit import kernel
from thresher.policy import Ranking, find_index_policy
from thresher.problem import named

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
    works = {"draw": own_draws()} | {policy: visits_of(policy, options.arms) for policy in POLICIES}
    found = least_seconds(works, options.rounds)
    for policy in POLICIES:
        print(f"{policy}: a pull takes {found[policy] / found['draw']:.2f} stream draws")


if __name__ == "__main__":
    main()
