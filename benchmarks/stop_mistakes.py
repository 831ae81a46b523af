"""Campaigns that stop when few mistakes are expected: how many were expected then, and how many had been made.

``python -m benchmarks.stop_mistakes``: campaigns in memory, asked for two arms at a time; some ten minutes.
"""

import argparse
import math
import random
from collections.abc import Callable
from typing import NamedTuple

from thresher.live import Campaign
from thresher.storage import MemoryStorage


class Setting(NamedTuple):
    """Arms whose means are drawn anew for every campaign, and the mistakes at which it should stop."""

    family: str
    arms: int
    means: str
    draw: Callable[[random.Random], float]
    target: float


SETTINGS = (
    Setting("bernoulli", 2, "even in 0–1", lambda rng: rng.random(), 0.1),
    Setting("bernoulli", 10, "even in 0–1", lambda rng: rng.random(), 0.5),
    Setting("bernoulli", 10, "even in 0.35–0.65", lambda rng: rng.uniform(0.35, 0.65), 1.0),
    Setting("bernoulli", 50, "even in 0–1", lambda rng: rng.random(), 2.5),
    Setting("gaussian", 10, "normal, deviation 1", lambda rng: rng.gauss(0.0, 1.0), 0.5),
    Setting("gaussian", 10, "normal, deviation 0.3", lambda rng: rng.gauss(0.0, 0.3), 1.0),
)


def stopped(setting: Setting, rng: random.Random) -> tuple[float, float, int]:
    """Return what a campaign had spent when it stopped, how many mistakes it expected and how many it had made."""
    means = {f"arm {k}": setting.draw(rng) for k in range(setting.arms)}
    is_share = setting.family == "bernoulli"
    bar = 0.5 if is_share else 0.0
    campaign = Campaign.create(
        MemoryStorage(),
        "c",
        arms=list(means),
        family=setting.family,
        threshold=bar,
        budget=300 * setting.arms,
        stop_mistakes=setting.target,
    )
    while tickets := campaign.ask(2):
        outcomes = [
            rng.random() < means[ticket.arm] if is_share else rng.gauss(means[ticket.arm], 1.0) for ticket in tickets
        ]
        campaign.tell_many(list(zip(tickets, outcomes, strict=True)))
    verdicts = campaign.verdicts()
    made = sum((row.verdict == "above") != (means[row.arm] > bar) for row in verdicts)
    return float(campaign.spent), verdicts.expected_mistakes, made


def main() -> None:
    """Print a row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--campaigns", type=int, default=60, help="in each setting")
    count = parser.parse_args().campaigns
    print("| family | arms | means | target | spent | expected | made |")
    print("| :--- | ---: | :--- | ---: | ---: | ---: | ---: |")
    for setting in SETTINGS:
        rng = random.Random(8)
        rows = [stopped(setting, rng) for _ in range(count)]
        spent, expected, made = (math.fsum(column) / count for column in zip(*rows, strict=True))
        error = math.sqrt(math.fsum((row[2] - made) ** 2 for row in rows) / count / max(count - 1, 1))
        print(
            f"| {setting.family} | {setting.arms} | {setting.means} | {setting.target:g} | {spent:.0f} "
            f"| {expected:.2f} | {made:.2f} ± {error:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
