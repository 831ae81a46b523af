"""What each curve looks like, the same in every figure, so that a colour means one policy throughout."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.papers.normalisation import RAW
from thresher.report.curves import COLOURS

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BROWN, BLACK = COLOURS
GREY = "#707070"
PUBLISHED = ", published"


@dataclass(frozen=True)
class Look:
    """Colour, dashes (as matplotlib names them), marker and width of a curve."""

    colour: str
    dashes: str = "-"
    marker: str = ""
    width: float = 1.5


LOOKS = {
    "apt": Look(BLUE, marker="o"),
    "lsa": Look(VERMILION, marker="s"),
    "fwt-sqrt": Look(GREEN, marker="^"),
    "fwt": Look(ORANGE, marker="v"),
    "stopping": Look(PURPLE, marker="D", width=2.2),
    "uniform": Look(SKY, marker="P"),
    "uniform-iid": Look(SKY, marker="P"),
    "ucbe": Look(GREEN, marker="^"),
    "csar": Look(ORANGE, marker="v"),
    "kg": Look(ORANGE, marker="v"),
    "opt-kg": Look(GREEN, marker="^"),
    "hdoc": Look(PURPLE, marker="D"),
    "lucb-g": Look(GREEN, marker="^"),
    "apt-g": Look(BLUE, marker="o"),
    "sticky-tas": Look(VERMILION, marker="s"),
    "md-apt": Look(BLUE, marker="o"),
    "md-sar": Look(ORANGE, marker="v"),
    "md-ucbe[1]": Look(GREEN, marker="^"),
    "md-ucbe[10]": Look(VERMILION, marker="s"),
    "md-ucbe[100]": Look(PURPLE, marker="D"),
    "T* log(1/δ)": Look(GREY, dashes="--"),
    "oracle": Look(BLACK),
    "static-optimum": Look(BROWN),
    "uniform, exact": Look(SKY),
    "adaptive limit": Look(GREY, dashes=":"),
    "integer limit": Look(GREY, dashes="--"),
    "lower bound": Look(GREY, dashes="-."),
    "oracle, bound": Look(BLACK, dashes="-."),
    "S": Look(BLUE),
    "S′": Look(ORANGE, dashes="--"),
    "adaptive, exact": Look(PURPLE, width=2.2),
    "K·P(Z > T)": Look(GREEN, dashes="--"),
    "bound, printed": Look(VERMILION, dashes="-."),
    "bound, corrected": Look(BLUE, dashes="-."),
}


def look_of(name: str) -> Look:
    """Return what a curve of that name looks like; the second reading of the gap is dashed, with open markers."""
    if name.endswith(RAW):
        base = LOOKS[name.removesuffix(RAW)]
        return Look(base.colour, "--", base.marker, width=1.1)
    if name.endswith(PUBLISHED):
        return Look(LOOKS[name.removesuffix(PUBLISHED)].colour, "", "x")
    return LOOKS[name]
