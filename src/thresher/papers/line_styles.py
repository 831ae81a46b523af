"""Line styles by curve name, the same in every figure: a colour stands for one policy."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.papers.normalisation import RAW
from thresher.report.curves import COLOURS

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BROWN, BLACK = COLOURS
GREY = "#707070"
PUBLISHED = ", published"


@dataclass(frozen=True)
class LineStyle:
    """Colour, dashes (as matplotlib names them), marker and width of a curve."""

    colour: str
    dashes: str = "-"
    marker: str = ""
    width: float = 1.5


LINE_STYLES = {
    "apt": LineStyle(BLUE, marker="o"),
    "lsa": LineStyle(VERMILION, marker="s"),
    "fwt-sqrt": LineStyle(GREEN, marker="^"),
    "fwt": LineStyle(ORANGE, marker="v"),
    "stopping": LineStyle(PURPLE, marker="D", width=2.2),
    "uniform": LineStyle(SKY, marker="P"),
    "uniform-iid": LineStyle(SKY, marker="P"),
    "ucbe": LineStyle(GREEN, marker="^"),
    "csar": LineStyle(ORANGE, marker="v"),
    "kg": LineStyle(ORANGE, marker="v"),
    "opt-kg": LineStyle(GREEN, marker="^"),
    "hdoc": LineStyle(PURPLE, marker="D"),
    "lucb-g": LineStyle(GREEN, marker="^"),
    "apt-g": LineStyle(BLUE, marker="o"),
    "sticky-tas": LineStyle(VERMILION, marker="s"),
    "md-apt": LineStyle(BLUE, marker="o"),
    "md-sar": LineStyle(ORANGE, marker="v"),
    "md-ucbe[1]": LineStyle(GREEN, marker="^"),
    "md-ucbe[10]": LineStyle(VERMILION, marker="s"),
    "md-ucbe[100]": LineStyle(PURPLE, marker="D"),
    "T* log(1/δ)": LineStyle(GREY, dashes="--"),
    "oracle": LineStyle(BLACK),
    "static-optimum": LineStyle(BROWN),
    "uniform, exact": LineStyle(SKY),
    "adaptive limit": LineStyle(GREY, dashes=":"),
    "integer limit": LineStyle(GREY, dashes="--"),
    "lower bound": LineStyle(GREY, dashes="-."),
    "oracle, bound": LineStyle(BLACK, dashes="-."),
    "S": LineStyle(BLUE),
    "S′": LineStyle(ORANGE, dashes="--"),
    "adaptive, exact": LineStyle(PURPLE, width=2.2),
    "K·P(Z > T)": LineStyle(GREEN, dashes="--"),
    "bound, printed": LineStyle(VERMILION, dashes="-."),
    "bound, corrected": LineStyle(BLUE, dashes="-."),
}


def line_style(name: str) -> LineStyle:
    """Return the line style of a curve by its name; the second reading of the gap is dashed, with open markers."""
    if name.endswith(RAW):
        base = LINE_STYLES[name.removesuffix(RAW)]
        return LineStyle(base.colour, "--", base.marker, width=1.1)
    if name.endswith(PUBLISHED):
        return LineStyle(LINE_STYLES[name.removesuffix(PUBLISHED)].colour, "", "x")
    return LINE_STYLES[name]
