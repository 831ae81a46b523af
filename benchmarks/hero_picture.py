"""Draw the picture of the first page: the idea on the left, its result on real data on the right.

python -m benchmarks.hero_picture DATA docs/images

writes ``hero.svg`` and, for phones, ``hero-narrow.svg`` with the two parts one below the other. Both follow the colour
scheme of the reader. The left part simulates twelve arms, the right part replays 41 language models on 721 questions.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import thresher as th
from benchmarks.shared_items import CASES, SHARES, items_of
from thresher.problem import Problem
from thresher.report.svg import Scale, place, tag, text

BAR, BUDGET, RUNS, SEED = 0.8, 1200, 400, 1
MEANS = (0.35, 0.45, 0.55, 0.62, 0.68, 0.73, 0.77, 0.795, 0.83, 0.87, 0.91, 0.95)
LARGEST = 17.0  # radius of the dot of the most measured arm, in pixels
STYLE = """
svg { --card: #ffffff; --ink: #1c2024; --soft: #59626d; --grid: #dfe3e8;
  --us: #0b6e6e; --even: #59626d; --pass: #0067a5; --fail: #b0430a; }
@media (prefers-color-scheme: dark) {
svg { --card: #14171a; --ink: #e8eaed; --soft: #a8b0ba; --grid: #363c43;
  --us: #58bdb8; --even: #a8b0ba; --pass: #6db7f0; --fail: #f4965f; }
}
text { font: 14px system-ui, "Segoe UI", "Liberation Sans", sans-serif; fill: var(--soft);
  paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.title { fill: var(--ink); font-size: 18px; font-weight: 650; }
.strong { font-size: 15px; font-weight: 650; }
.card { fill: var(--card); }
.grid { stroke: var(--grid); }
.bar { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 4; }
.pass { fill: var(--pass); }
.fail { fill: var(--fail); }
.dot { fill-opacity: 0.85; }
.us, .even { fill: none; stroke-width: 3; stroke-linejoin: round; stroke: var(--us); }
.even { stroke: var(--even); }
text.us { fill: var(--us); stroke: var(--card); stroke-width: 4px; }
text.even { fill: var(--soft); stroke: var(--card); stroke-width: 4px; }
circle.us { fill: var(--us); }
circle.even { fill: var(--even); }
"""


class Box(NamedTuple):
    """Where a part of the picture lies: its left and upper edges, its width and height."""

    left: float
    top: float
    width: float
    height: float


class Replay(NamedTuple):
    """Wrong verdicts at each share of the benchmark, and how many there were at the last one in all runs."""

    even: Sequence[float]
    ours: Sequence[float]
    ours_at_end: int
    n_arms: int
    n_items: int


def measurements() -> list[float]:
    """Return how often each of the twelve arms is measured, on average."""
    problem = th.Problem.bernoulli(MEANS, thresholds=BAR)
    found = th.simulate(problem, "stopping", budgets=[BUDGET], runs=RUNS, seed=SEED)
    return [float(pulls) for pulls in found.pulls("stopping")[0]]


def replay(problem: Problem) -> Replay:
    """Return the wrong verdicts of even sampling and of the default policy."""
    whole = problem.n_arms * items_of(problem)
    budgets = [max(round(share * whole / 100), problem.n_arms) for share in SHARES]
    found = th.simulate(problem, ["uniform", "stopping"], budgets=budgets, runs=RUNS, seed=SEED)
    means = {name: [row.mean for row in found.rows() if row.policy == name] for name in ("uniform", "stopping")}
    at_end = int(found.losses("stopping")[:, -1].sum())
    return Replay(means["uniform"], means["stopping"], at_end, problem.n_arms, items_of(problem))


def idea(pulls: Sequence[float], box: Box) -> str:
    """Return the arms on their rows, the bar, and dots whose area is the number of measurements."""
    across = Scale(0.3, 1.0, box.left + 8, box.left + box.width - 8)
    down = Scale(0.0, len(MEANS) - 1.0, box.top + box.height - 52, box.top + 78)
    at, top, bottom = across(BAR), box.top + 58, box.top + box.height - 36
    parts = [
        text("Measure where it is close", box.left, box.top + 18, class_="title"),
        text("12 arms; dot size = measurements", box.left, box.top + 40),
        *(
            tag("line", x1=across.start, x2=across.end, y1=down(k), y2=down(k), class_="grid")
            for k in range(len(MEANS))
        ),
        tag("line", x1=at, x2=at, y1=top, y2=bottom, class_="bar"),
        text("bar", at, bottom + 18, anchor="middle", class_="strong"),
        text("✘ fail", across.start, bottom + 18, class_="fail"),
        text("✔ pass", across.end, bottom + 18, anchor="end", class_="pass"),
    ]
    for k, (mean, count) in enumerate(zip(MEANS, pulls, strict=True)):
        radius = max(LARGEST * (count / max(pulls)) ** 0.5, 2.5)
        look = f"dot {'pass' if mean > BAR else 'fail'}"
        parts.append(tag("circle", cx=across(mean), cy=down(k), r=radius, class_=look))
    least, most = min(range(len(pulls)), key=pulls.__getitem__), max(range(len(pulls)), key=pulls.__getitem__)
    parts.append(text(f"{pulls[least]:.0f} measurements", across(MEANS[least]) + 14, down(least) + 5))
    parts.append(text(f"{pulls[most]:.0f}", across(MEANS[most]) - 22, down(most) + 5, anchor="end"))
    return "".join(parts)


def result(found: Replay, box: Box) -> str:
    """Return the wrong verdicts against the share of the benchmark, on linear axes from zero."""
    across = Scale(0.0, float(SHARES[-1]), box.left + 20, box.left + box.width - 12)
    up = Scale(0.0, max(found.even), box.top + box.height - 56, box.top + 66)
    parts = [
        text("Same verdicts, a third of the work", box.left, box.top + 18, class_="title"),
        text(f"wrong verdicts on {found.n_arms} models", box.left, box.top + 40),
    ]
    for value in up.ticks(4):
        parts.append(tag("line", x1=across.start, x2=across.end, y1=up(value), y2=up(value), class_="grid"))
        parts.append(text(f"{value:g}", across.start - 8, up(value) + 5, anchor="end"))
    parts += [
        text(f"{share} %", across(share), up.start + 22, anchor="middle" if share < 30 else "end")
        for share in (0, 10, 20, 30)
    ]
    parts.append(text(f"share of {found.n_items} questions asked", across.end, up.start + 44, anchor="end"))
    for values, look in ((found.even, "even"), (found.ours, "us")):
        steps = [f"{place(across(share))} {place(up(value))}" for share, value in zip(SHARES, values, strict=True)]
        parts.append(tag("path", d="M" + "L".join(steps), class_=look))
        parts.append(tag("circle", cx=across.end, cy=up(values[-1]), r=5, class_=look))
    even = f"even sampling: about {found.even[-1]:.0f} wrong"
    parts.append(text(even, across.end, up(found.even[SHARES.index(10)]) - 36, anchor="end", class_="strong even"))
    ours = (f"thresher: {found.ours_at_end}", f"in {RUNS} runs at {SHARES[-1]} %")
    for line, words in enumerate(ours):
        parts.append(text(words, across.end, up(0.0) - 42 + 18 * line, anchor="end", class_="strong us"))
    return "".join(parts)


def drawn(pulls: Sequence[float], found: Replay, *, is_narrow: bool) -> str:
    """Return the whole picture: two parts side by side, or one below the other."""
    width, height = (390, 740) if is_narrow else (860, 380)
    left, right = Box(16, 14, 358, 340), Box(16, 380, 358, 346)
    if not is_narrow:
        left, right = Box(24, 16, 386, 352), Box(458, 16, 378, 352)
    label = (
        f"Left: twelve arms and a bar; the arms next to the bar are measured most. Right: wrong verdicts on "
        f"{found.n_arms} models against the share of {found.n_items} questions asked. At {SHARES[-1]} % even sampling "
        f"has about {found.even[-1]:.0f} wrong, thresher {found.ours_at_end} in {RUNS} runs."
    )
    content = [
        tag("style", STYLE),
        tag("rect", width=width, height=height, rx=10, class_="card"),
        idea(pulls, left),
        result(found, right),
    ]
    return tag(
        "svg", "".join(content), xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}",
        width=width, height=height, role="img", aria_label=label,
    )  # fmt: skip


def main() -> None:
    """Write both pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="where the recorded answers are")
    parser.add_argument("out", type=Path, help="folder of the pictures")
    asked = parser.parse_args()
    pulls, found = measurements(), replay(CASES[0].read(asked.data, CASES[0].bar))
    for name, is_narrow in (("hero.svg", False), ("hero-narrow.svg", True)):
        (asked.out / name).write_text(drawn(pulls, found, is_narrow=is_narrow) + "\n", encoding="utf-8")
        print(asked.out / name)


if __name__ == "__main__":
    main()
