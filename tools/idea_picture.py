"""Draw the idea: arms on a number line, the bar, and where the measurements go.

``python tools/idea_picture.py docs/images/idea.png``; the heights come from a simulation.
"""

import argparse
from pathlib import Path

import numpy as np

import thresher as th
from thresher.report.curves import write_picture
from thresher.report.picture_style import BLACK, GREY, dress, line_styles, picture_style

BAR, BUDGET, RUNS = 0.8, 1200, 400
MEANS = (0.35, 0.45, 0.55, 0.62, 0.68, 0.73, 0.77, 0.795, 0.83, 0.87, 0.91, 0.95)


def main() -> None:
    """Simulate even sampling and `stopping` on twelve arms, and draw how often each arm was measured."""
    from matplotlib.figure import Figure

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    path = parser.parse_args().path
    problem = th.Problem.bernoulli(MEANS, thresholds=BAR)
    result = th.simulate(problem, ["uniform", "stopping"], budgets=[BUDGET], runs=RUNS, seed=1)
    mistakes = {row.policy: row.mean for row in result.rows()}
    with picture_style():
        figure = Figure(figsize=(7.4, 3.2), layout="constrained")
        axes = figure.subplots()
        for policy, label in (("uniform", "even sampling"), ("stopping", "thresher")):
            style = line_styles([policy])[policy]
            pulls = result.pulls(policy)[0]
            text = f"{label}: {mistakes[policy]:.2f} mistakes"
            axes.plot(MEANS, pulls, color=style.colour, marker=style.marker, linewidth=style.width, label=text)
        axes.axvline(BAR, color=BLACK, linewidth=1.2, linestyle="--")
        axes.annotate(
            "bar", (BAR, 1.0), xycoords=("data", "axes fraction"), xytext=(4, -12), textcoords="offset points"
        )
        axes.scatter(MEANS, np.zeros(len(MEANS)), marker="o", color=GREY, zorder=4, clip_on=False)
        axes.set_ylim(0.0, None)
        axes.set(xlabel="mean of the arm (its pass rate; each dot is an arm)", ylabel="measurements")
        axes.legend(frameon=False, loc="upper left")
        dress(axes)
        write_picture(figure, path)


if __name__ == "__main__":
    main()
