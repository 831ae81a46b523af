"""Items that may be asked several times: mistakes against the mean of the success rates.

python -m benchmarks.repeats [--runs 1000] [--seed 1] [--figure FILE]
python -m benchmarks.repeats --targets [--runs 100] [--seed 1]
python -m benchmarks.repeats --calibration [--runs 60] [--seed 1]

Thirty arms answer fifty items, with success rates by a logistic item-response model: the steeper it is, the more of the
variance of an outcome lies between items (ρ). Prints mean mistakes at 10, 20, 50, 100 and 200 measurements per arm, for
four ways to measure, and draws those of the largest ρ. Every run has arms and items of its own: what is wrong late are
the few arms next to the bar, and a table of thirty arms has none or some of them.

* uniform, random items: arms in turn, each time an item at random;
* stopping, random items: the same with the default policy, which takes outcomes for independent draws;
* stopping, passes, ν = n: all items in a random order and then again, still taken for independent draws;
* stopping, repeats: what is shipped.

With `--targets` it plays campaigns in which every item is asked once, and prints for both targets how many verdicts are
decided and how many of these are wrong about the population that the items were drawn from, and how many always-valid
intervals miss its mean at the end.

With `--calibration` it plays campaigns of twelve arms and twenty items, each of which may be asked five times, with ρ =
0, 0.3, 0.7 and 1. For both targets it prints how many arms are decided at the end of the budget; the share of wrong
decisions, as the mean over campaigns and over all decisions together; expected over made mistakes; and the share of
arms whose always-valid interval missed the truth at one of four looks.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import erfinv

import thresher as th
from thresher.problem import Problem
from thresher.report import Line, draw_curves
from thresher.report.markdown import markdown_table
from thresher.research.simulation.result import standard_error
from thresher.types import Floats

N_ARMS, N_ITEMS, BAR, REPEATS = 30, 50, 0.6, 40
PER_ARM = (10, 20, 50, 100, 200)
STEEPNESS = {0.71: 5.6, 0.44: 2.65, 0.12: 0.92}  # of the logistic curve, by the ρ that it gives on average
ABILITY, SHIFT = {0.71: 0.75, 0.44: 1.05, 0.12: 1.9}, 0.3  # spread of the arms' abilities, and their mean
N_JUDGED = 12  # arms of a campaign
NAMES = [str(k) for k in range(N_JUDGED)]


def rates_of(rho: float, seed: int) -> Floats:
    """Return success rates, shape (30, 50)."""
    random = np.random.default_rng(seed)
    ability = random.normal(SHIFT, ABILITY[rho], (N_ARMS, 1))
    ease = random.normal(0.0, 1.0, (1, N_ITEMS))
    return np.asarray(1.0 / (1.0 + np.exp(-STEEPNESS[rho] * (ability + ease))))


def share_between(rates: Floats) -> float:
    """Return ρ: the part of the variance of an outcome that lies between items, over all arms."""
    means = rates.mean(axis=1)
    return float(rates.var(axis=1).mean() / (means * (1.0 - means)).mean())


def losses_of(rho: float, *, runs: int, seed: int) -> tuple[float, dict[str, Floats]]:
    """Return ρ, and the mistakes of every run by the way to measure, shape (budgets, runs)."""
    budgets, found, shares = [N_ARMS * each for each in PER_ARM], dict[str, list[Floats]](), []
    for table in range(runs):
        rates = rates_of(rho, seed + table)
        shares.append(share_between(rates))
        random_items = Problem.bernoulli(rates.mean(axis=1), BAR)
        repeated = Problem.repeated(rates, BAR, repeats=REPEATS)
        ways = {
            "uniform, random items": (random_items, "uniform"),
            "stopping, random items": (random_items, "stopping"),
            "stopping, passes, ν = n": (repeated, "stopping:structure=none"),
            "stopping, repeats": (repeated, "stopping"),
        }
        for way, (problem, policy) in ways.items():
            result = th.simulate(problem, policy, budgets=budgets, runs=1, seed=seed + table)
            found.setdefault(way, []).append(result.losses(policy).T)
    return float(np.mean(shares)), {way: np.concatenate(each, axis=1) for way, each in found.items()}


def draw(rho: float, losses: Mapping[str, Floats], path: str) -> None:
    """Draw mistakes against measurements per arm."""
    curves = []
    for way, each in losses.items():
        means, errors = each.mean(axis=1), [2.0 * standard_error(values) for values in each]
        curves.append(Line(way, PER_ARM, tuple(means), tuple(means - errors), tuple(means + errors)))
    title = f"{N_ARMS} arms, {N_ITEMS} items, ρ = {rho:.2f}: the same item asked again"
    draw_curves(curves, title=title, xlabel="measurements per arm", ylabel="wrong verdicts", path=path)


def population_means(rho: float, ability: Floats) -> Floats:
    """Return the mean success rate of arms over the population of items, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(201)
    rates = 1.0 / (1.0 + np.exp(-STEEPNESS[rho] * (ability[:, None] + nodes)))
    return np.asarray(rates @ weights / weights.sum())


class Played(NamedTuple):
    """What campaigns have said of the population: arms, decided ones, wrong ones of these, intervals that miss it."""

    arms: int
    decided: int
    wrong: int
    missed: int


def play_campaigns(rho: float, target: Literal["items", "population"], per_arm: int, *, runs: int, seed: int) -> Played:
    """Return the verdicts on the population of items in campaigns with this many measurements per arm."""
    decided = wrong = missed = 0
    for run in range(runs):
        random = np.random.default_rng([seed, run])
        ability = random.normal(SHIFT, ABILITY[rho], N_JUDGED)
        ease, truths = random.normal(0.0, 1.0, N_ITEMS), population_means(rho, ability) > BAR
        rates = 1.0 / (1.0 + np.exp(-STEEPNESS[rho] * (ability[:, None] + ease)))
        means = population_means(rho, ability)
        campaign = th.Campaign.create(
            "memory://", f"{rho} {target} {per_arm} {run}", arms=NAMES, items=N_ITEMS, threshold=BAR,
            budget=per_arm * N_JUDGED, target=target,
        )  # fmt: skip
        for ticket in campaign.tickets():
            campaign.tell(ticket, random.random() < rates[int(ticket.arm), int(ticket.item or 0) - 1])
        for k, row in enumerate(campaign.verdicts()):
            is_decided = row.decision != "open"
            decided += is_decided
            wrong += is_decided and (row.decision == "pass") != truths[k]
            missed += not row.valid_low <= means[k] <= row.valid_high
    return Played(runs * N_JUDGED, decided, wrong, missed)


def print_targets(*, runs: int, seed: int) -> None:
    """Print what campaigns with either target say of the population of their items."""
    lines = []
    for rho in STEEPNESS:
        for per_arm in (N_ITEMS // 2, N_ITEMS):
            for target in ("items", "population"):
                found = play_campaigns(rho, target, per_arm, runs=runs, seed=seed)
                wrong = 100.0 * found.wrong / max(found.decided, 1)
                lines.append(
                    [f"{rho}", str(per_arm), target, f"{100.0 * found.decided / found.arms:.0f} %", f"{wrong:.1f} %",
                     f"{100.0 * found.missed / found.arms:.1f} %"]
                )  # fmt: skip
    heads = ["ρ", "measurements per arm", "target", "decided", "wrong of these", "intervals that miss"]
    print(markdown_table(heads, lines, left=(2,)))


class World(NamedTuple):
    """How arms answer items: steepness of the logistic curve (infinite: every outcome of an item is the same; 0: items
    do not differ), and the spread of the arms' abilities.
    """

    steepness: float
    ability: float

    def rates(self, ability: Floats, ease: Floats) -> Floats:
        """Return success rates of arms on items, shape (K, N)."""
        if self.steepness == 0.0:
            return np.asarray(np.repeat(1.0 / (1.0 + np.exp(-ability))[:, None], ease.size, axis=1))
        if np.isinf(self.steepness):
            return np.asarray((ability[:, None] + ease > 0.0).astype(np.float64))
        return np.asarray(1.0 / (1.0 + np.exp(-self.steepness * (ability[:, None] + ease))))

    def means(self, ability: Floats) -> Floats:
        """Return the mean success rate of arms over all items that could be asked."""
        ease = np.sqrt(2.0) * erfinv((np.arange(QUANTILES) + 0.5) / QUANTILES * 2.0 - 1.0)
        return np.asarray(self.rates(ability, ease).mean(axis=1))


WORLDS = {0.0: World(0.0, 0.9), 0.3: World(1.65, 1.35), 0.7: World(5.3, 0.75), 1.0: World(np.inf, 0.75)}
QUANTILES = 2001  # of the ease of items, for the mean over all of them
SMALL, FIVE = 20, 5  # items, and how often each may be asked
LOOKS = 4


class Judged(NamedTuple):
    """What one campaign says: decided arms, wrong ones of these, expected and made mistakes, arms ever missed."""

    decided: int
    wrong: int
    expected: float
    made: int
    missed: int


def play_repeats(rho: float, target: Literal["items", "population"], per_arm: int, seed: tuple[int, int]) -> Judged:
    """Return what a campaign with repeats says at the end of its budget, and whether its intervals held."""
    random, world = np.random.default_rng(seed), WORLDS[rho]
    ability, ease = random.normal(SHIFT, world.ability, N_JUDGED), random.normal(0.0, 1.0, SMALL)
    rates = world.rates(ability, ease)
    means = rates.mean(axis=1) if target == "items" else world.means(ability)
    budget = per_arm * N_JUDGED
    campaign = th.Campaign.create(
        "memory://", f"{rho} {target} {per_arm} {seed}", arms=NAMES, items=SMALL, repeats=FIVE, target=target,
        threshold=BAR, budget=budget,
    )  # fmt: skip
    has_missed = np.zeros(N_JUDGED, np.bool_)
    for number, ticket in enumerate(campaign.tickets(), start=1):
        campaign.tell(ticket, random.random() < rates[int(ticket.arm), int(ticket.item or 0) - 1])
        if number % (budget // LOOKS) == 0:
            rows = zip(campaign.verdicts(), means, strict=True)
            has_missed |= [not row.valid_low <= mean <= row.valid_high for row, mean in rows]
    found = campaign.verdicts()
    wrong = [(row.verdict == "above") != above for row, above in zip(found, means > BAR, strict=True)]
    decided = [row.decision != "open" for row in found]
    bad = sum(is_decided and is_wrong for is_decided, is_wrong in zip(decided, wrong, strict=True))
    return Judged(sum(decided), bad, found.expected_mistakes, sum(wrong), int(has_missed.sum()))


def print_calibration(*, runs: int, seed: int) -> None:
    """Print how well chances, decisions and intervals of campaigns with repeats hold."""
    lines = []
    for rho in WORLDS:
        for target in ("items", "population"):
            for per_arm in (SMALL // 2, 2 * SMALL):
                played = [play_repeats(rho, target, per_arm, (seed, run)) for run in range(runs)]
                arms, decided = runs * N_JUDGED, sum(one.decided for one in played)
                shares = np.array([one.wrong / max(one.decided, 1) for one in played])
                made = sum(one.made for one in played)
                lines.append(
                    [f"{rho:g}", target, str(per_arm), f"{100.0 * decided / arms:.0f} %",
                     f"{100.0 * shares.mean():.1f} ± {100.0 * standard_error(shares):.1f} %",
                     f"{100.0 * sum(one.wrong for one in played) / max(decided, 1):.1f} %",
                     f"{sum(one.expected for one in played) / max(made, 1):.2f}",
                     f"{100.0 * sum(one.missed for one in played) / arms:.1f} %"]
                )  # fmt: skip
                print(lines[-1], flush=True)
    heads = [
        "ρ", "target", "measurements per arm", "decided", "wrong, by campaign", "wrong of all", "expected / made",
        "intervals that missed",
    ]  # fmt: skip
    print(markdown_table(heads, lines, left=(1,)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Mistakes with items that may be asked several times.")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figure", help="file of the picture")
    parser.add_argument("--targets", action="store_true", help="campaigns with either target, in place of repeats")
    parser.add_argument("--calibration", action="store_true", help="campaigns with repeats, in place of simulations")
    given = parser.parse_args()
    if given.targets:
        print_targets(runs=given.runs or 100, seed=given.seed)
        return
    if given.calibration:
        print_calibration(runs=given.runs or 60, seed=given.seed)
        return
    lines = list[list[str]]()
    for rho in STEEPNESS:
        share, losses = losses_of(rho, runs=given.runs or 1000, seed=given.seed)
        for way, each in losses.items():
            cells = [f"{values.mean():.2f} ± {standard_error(values):.2f}" for values in each]
            lines.append([f"{share:.2f}", way, *cells])
        if given.figure and rho == max(STEEPNESS):
            draw(share, losses, given.figure)
    print(markdown_table(["ρ", "way to measure", *(str(each) for each in PER_ARM)], lines, left=(1,)))


if __name__ == "__main__":
    main()
