"""What a judge would add to always-valid guarantees, on recorded answers: an experiment, not what campaigns do.

python -m benchmarks.judge_guarantees DATA [--runs 20] [--seed 1]

An arm is labelled in a random order until the bar is excluded at any time with an error of 5 %. Three ways: by the
prior-posterior ratio of the labels, as campaigns do; by a betting martingale on y - f, with f = β x and β fitted to the
labels before; and by the average of both e-processes. With total M of N labels, of which s were seen in t, the next
label has the mean (M - s) / (N - t), and f that of the items left: their difference is a martingale difference.

The second table has the share of arms for which the true mean itself is excluded at some time: at most 5 %.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from benchmarks.cheap_signals import BARS, judged, read
from thresher.jit import kernel
from thresher.report import markdown_table
from thresher.types import Floats, Ints

ALPHA, OWN, BOLDEST = 0.05, 20.0, 0.5  # outcomes' worth of the first β; share of the largest bet that is allowed
FIRST = {"80 %": 0.5, "90 %": 0.75, "95 %": 0.85}  # β of other arms, from which an arm begins
HOSTILE = ("noise", "biased", "inverted", "95 %", "the last labels are told by the first")
NAMES = ("labels alone", "y - f", "average")


@kernel
def log_ratio(n: int, s: float, size: int, total: float) -> float:
    """Return the log of prior over posterior of a total of ones, uniform before: the e-value of labels alone."""
    if total < s or size - total < n - s:
        return 1e9
    found = math.lgamma(total + 1) - math.lgamma(s + 1) - math.lgamma(total - s + 1)
    found += math.lgamma(size - total + 1) - math.lgamma(n - s + 1) - math.lgamma(size - total - n + s + 1)
    return math.lgamma(size + 1) - math.lgamma(n + 1) - math.lgamma(size - n + 1) - found - math.log(n + 1.0)


@kernel
def first_proofs(y: Floats, x: Floats, order: Ints, below: float, above: float, first: float) -> Ints:
    """Return the label at which totals up to `below` and from `above` on are excluded, by each way; N if never.

    Parameters
    ----------
    y, x : ndarray of float64, shape (N,)
        Labels, and scores less their mean.
    order : ndarray of int64, shape (N,)
    below, above : float
        The largest total of the one hypothesis, the least of the other.
    first : float
        β before the first label.
    """
    size, found, beta = y.size, np.full(3, y.size), first
    up = down = seen = left = sx = sxx = sxy = drift = moment = 0.0
    low, high, variance, bound = x.min(), x.max(), x.var(), math.log(2.0 / ALPHA)
    for t in range(size):
        i = order[t]
        centre = beta * left / (size - t)  # scores have the mean 0, so those left sum to minus those seen
        ends = (min(beta * low, beta * high), max(beta * low, beta * high))
        mean, spread = drift / (t + 1.0), (moment + 0.25) / (t + 1.0)
        bet = abs(mean) / (spread + mean * mean)
        for side in (1.0, -1.0):
            rest = ((below if side > 0 else above) - seen) / (size - t)
            if rest < 0.0 or rest > 1.0:  # the total is impossible by now
                up, down = (1e9, down) if side > 0 else (up, 1e9)
                continue
            error = y[i] - beta * x[i] - (rest - centre)
            worst = (ends[1] + rest - centre) if side > 0 else (1.0 - ends[0] - rest + centre)
            stake = min(bet, BOLDEST / worst) if side * mean > 0 and worst > 0 else 0.0
            gain = math.log(1.0 + side * stake * error)
            up, down = (up + gain, down) if side > 0 else (up, down + gain)
        error = y[i] - beta * x[i] - ((below - seen) / (size - t) - centre)
        drift, moment = drift + error, moment + error * error
        seen, left, n = seen + y[i], left - x[i], t + 1
        sx, sxx, sxy = sx + x[i], sxx + x[i] * x[i], sxy + x[i] * y[i]
        beta = (sxy - sx * seen / n + OWN * variance * first) / (sxx - sx * sx / n + OWN * variance + 1e-300)
        plain = (log_ratio(n, seen, size, below), log_ratio(n, seen, size, above))
        plain = (plain[0] if seen / n > below / size else 0.0, plain[1] if seen / n < above / size else 0.0)
        ways = (
            max(plain) + math.log(2.0),  # two-sided already
            max(up, down),
            max(_average(plain[0], up), _average(plain[1], down)),
        )
        for way in range(3):
            if found[way] == size and ways[way] >= bound:
                found[way] = n
    return found


@kernel
def _average(one: float, other: float) -> float:
    """Return the log of the mean of two e-values."""
    return max(one, other) + math.log1p(math.exp(-min(abs(one - other), 700.0))) - math.log(2.0)


def hostile(truth: Floats, judge: str, rng: np.random.Generator) -> Floats:
    """Return the scores of a judge that is not on our side."""
    if judge == "inverted":
        return 1.0 - truth
    if judge.startswith("the last"):  # looks right on the first half of the items, and is inverted on the others
        return np.where(np.arange(truth.shape[1]) < truth.shape[1] // 2, truth, 1.0 - truth)
    found = judged(truth, judge, rng)
    assert found is not None
    return found


def labels_needed(table: Floats, bar: float, judge: str, *, runs: int, seed: int) -> Floats:
    """Return the labels until the bar is excluded, shape (arms, ways); all labels where it is not before."""
    found = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        scores = hostile(table, judge, rng)
        total = math.floor(table.shape[1] * bar)
        for y, x in zip(table, scores - scores.mean(axis=1, keepdims=True), strict=True):
            order = rng.permutation(y.size)
            found.append(first_proofs(y, x, order, float(total), total + 1.0, FIRST.get(judge, 0.0)))
    return np.array(found, np.float64)


def true_means_excluded(table: Floats, judge: str, *, runs: int, seed: int) -> Floats:
    """Return the share of arms whose true total is excluded at some time before the last label, for each way."""
    found = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run, 7])
        scores = hostile(table, judge, rng)
        for y, x in zip(table, scores - scores.mean(axis=1, keepdims=True), strict=True):
            total = float(y.sum())
            found.append(first_proofs(y, x, rng.permutation(y.size), total, total, 0.8) < y.size)
    return np.asarray(np.mean(found, axis=0))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    cases, given = [read(asked.folder, name) for name in BARS], {"runs": asked.runs, "seed": asked.seed}
    lines = []
    for case in cases:
        for judge in ("80 %", "90 %", "95 %", "noise"):
            found = labels_needed(case.table, case.bar, judge, **given)
            means, medians = found.mean(axis=0), np.median(found, axis=0)
            cells = [f"{mean:.0f} ({median:.0f})" for mean, median in zip(means, medians, strict=True)]
            lines.append([f"{case.name}, {case.bar:g}", judge, *cells])
    print("Mean labels (median) until the bar is excluded, of all arms:\n")
    print(markdown_table(["data, bar", "judge", *NAMES], lines, left=(0, 1)), "\n")
    lines = []
    for case in cases:
        for judge in HOSTILE:
            shares = true_means_excluded(case.table, judge, **given)
            lines.append([case.name, judge, *(f"{share:.1%}" for share in shares)])
    print("Share of arms whose true mean is excluded at some time:\n")
    print(markdown_table(["data", "judge", *NAMES], lines, left=(0, 1)))


if __name__ == "__main__":
    main()
