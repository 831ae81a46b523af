"""Colours, line styles and fonts of every picture: a policy looks the same wherever it is drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from thresher.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with every common form of colour blindness; grey and black are for limits.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#000000")
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BROWN, BLACK = COLOURS
GREY = "#707070"
PUBLISHED = ", published"
FREE_MARKERS = ("o", "s", "^", "D", "v", "P", "X")  # for policies that are not built in, in order
VARIANT_DASHES = ("--", ":", "-.")  # for the variants of one policy, in order


@dataclass(frozen=True)
class LineStyle:
    """Colour, dashes (as matplotlib names them), marker and width of a curve."""

    colour: str
    dashes: str = "-"
    marker: str = ""
    width: float = 1.5
    is_open: bool = False  # the marker has no filling


#: Policies, by name. Purple belongs to `stopping` and its relatives.
POLICY_STYLES = {
    "stopping": LineStyle(PURPLE, marker="D", width=2.4),
    "stopping-gaps": LineStyle(PURPLE, "--", "D"),
    "stopping-fitted": LineStyle(PURPLE, "-.", "D"),
    "decide": LineStyle(PURPLE, ":", "D"),
    "uniform": LineStyle(SKY, marker="P"),
    "uniform-iid": LineStyle(SKY, "--", "P"),
    "apt": LineStyle(BLUE, marker="o"),
    "kl-apt": LineStyle(BLUE, "--", "o"),
    "lsa": LineStyle(VERMILION, marker="s"),
    "fwt-sqrt": LineStyle(GREEN, marker="^"),
    "fwt": LineStyle(ORANGE, marker="v"),
    "fwt-gaps": LineStyle(ORANGE, "--", "v"),
    "oracle": LineStyle(BLACK),
    "static-optimum": LineStyle(BROWN),
    "sprt": LineStyle(BLACK, ":", "X"),
    "more-than": LineStyle(SKY, marker="X"),
    "ucbe": LineStyle(GREEN, marker="X"),
    "csar": LineStyle(ORANGE, marker="X"),
    "augucb": LineStyle(BLUE, marker="X"),
    "evt-pf": LineStyle(VERMILION, "--", "X"),
    "kg": LineStyle(ORANGE, marker="*"),
    "opt-kg": LineStyle(GREEN, marker="*"),
    "bayes-ucb": LineStyle(SKY, marker="*"),
    "pi": LineStyle(BLUE, marker="*"),
    "tts": LineStyle(VERMILION, marker="*"),
    "ocba": LineStyle(BROWN, marker="*"),
    "slr": LineStyle(BROWN, marker="h"),
    "slr-d": LineStyle(BROWN, "--", "h"),
    "straddle": LineStyle(SKY, marker="h"),
    "randomised-straddle": LineStyle(SKY, "--", "h"),
    "mtb": LineStyle(GREEN, marker="h"),
    "utb": LineStyle(ORANGE, marker="h"),
    "xie-frazier": LineStyle(BLUE, marker="h"),
    "glr-apt": LineStyle(VERMILION, marker="h"),
    "hdoc": LineStyle(VERMILION, marker="<"),
    "lil-hdoc": LineStyle(VERMILION, "--", "<"),
    "lucb-g": LineStyle(GREEN, marker="<"),
    "apt-g": LineStyle(BLUE, marker="<"),
    "jj-fdr": LineStyle(SKY, marker="<"),
    "jj-fwer": LineStyle(SKY, "--", "<"),
    "murphy": LineStyle(ORANGE, marker="<"),
    "sticky-tas": LineStyle(BROWN, marker="<"),
    "md-apt": LineStyle(BLUE, marker="p"),
    "md-sar": LineStyle(ORANGE, marker="p"),
    "md-ucbe[1]": LineStyle(GREEN, marker="p"),
    "md-ucbe[10]": LineStyle(VERMILION, marker="p"),
    "md-ucbe[100]": LineStyle(BROWN, marker="p"),
}
#: Limits, bounds and exact values, by the name of the curve.
CURVE_STYLES = {
    "adaptive limit": LineStyle(GREY, ":"),
    "integer limit": LineStyle(GREY, "--"),
    "Bayes limit": LineStyle(GREY, "-"),
    "lower bound": LineStyle(GREY, "-."),
    "limit": LineStyle(GREY, "-", "|"),
    "claimed = realised": LineStyle(GREY, "--"),
    "T* log(1/δ)": LineStyle(GREY, "--"),
    "oracle, bound": LineStyle(BLACK, "-."),
    "uniform, exact": LineStyle(SKY),
    "S": LineStyle(BLUE),
    "S′": LineStyle(ORANGE, "--"),
    "adaptive, exact": LineStyle(PURPLE, width=2.4),
    "K·P(Z > T)": LineStyle(GREEN, "--"),
    "bound, printed": LineStyle(VERMILION, "-."),
    "bound, corrected": LineStyle(BLUE, "-."),
}
NAMED = POLICY_STYLES | CURVE_STYLES


def line_styles(names: Iterable[str]) -> dict[str, LineStyle]:
    """Return the line styles of the curves of one picture, by name.

    A built-in policy, a limit or a bound always looks the same. A variant (``lsa:alpha=2``, ``lsa, Δ = |μ|``) has the
    colour of its policy, other dashes and open markers; published values are crosses; an upper bound (``lsa ≤``) is
    dotted; a label (``even sampling (uniform)``) looks like its policy. Any other name gets the next colour that no
    other curve of the picture has, except purple.
    """
    styles: dict[str, LineStyle] = {}
    names = list(names)
    known = {NAMED[base].colour for base in map(_base_of, names) if base in NAMED}
    for name in names:
        if name in styles:
            continue
        base = _base_of(name)
        if name in NAMED:
            styles[name] = NAMED[name]
        elif base not in NAMED:
            styles[name] = _unknown(sum(_base_of(each) not in NAMED for each in styles), known)
        elif name.endswith(f"({base})"):
            styles[name] = NAMED[base]
        elif name.endswith(PUBLISHED):
            styles[name] = LineStyle(NAMED[base].colour, "", "x")
        elif name.endswith("≤"):
            styles[name] = LineStyle(NAMED[base].colour, ":", NAMED[base].marker, is_open=True)
        else:
            styles[name] = _variant(NAMED[base], [style for each, style in styles.items() if _base_of(each) == base])
    return styles


def _base_of(name: str) -> str:
    """Return the policy that a variant or a label belongs to."""
    if name.endswith(")") and "(" in name:
        return name[name.rindex("(") + 1 : -1]
    return name if name in NAMED else name.split(":")[0].split(",")[0].removesuffix("≤").strip()


def _variant(base: LineStyle, taken: list[LineStyle]) -> LineStyle:
    free = [dashes for dashes in VARIANT_DASHES if dashes not in {style.dashes for style in (base, *taken)}]
    return replace(base, dashes=free[0] if free else "-", width=1.3, is_open=True)


def _unknown(i: int, known: Collection[str]) -> LineStyle:
    """Return the style of the i-th curve without a style of its own, next to curves with known colours."""
    colours = sorted((colour for colour in COLOURS[:-1] if colour != PURPLE), key=lambda colour: colour in known)
    return LineStyle(colours[i % len(colours)], marker=FREE_MARKERS[i % len(FREE_MARKERS)])


def plotting() -> Any:
    """Return matplotlib.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("a picture", "plots") from error
    return matplotlib


def seen_in_notebooks(figure: Figure) -> Figure:
    """Return a figure that a notebook shows as a picture, whether or not pyplot was imported."""
    vars(figure)["_repr_png_"] = partial(_png, figure)
    return figure


def _png(figure: Figure) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=100)
    return stream.getvalue()


@contextmanager
def picture_style(*, text: float = 10.0, salt: str = "thresher") -> Iterator[None]:
    """Set the common style: text as text in SVG, thin axes.

    Parameters
    ----------
    text : float
        Size of the text in points.
    salt : str
        Makes the identifiers of several SVG pictures on one page unique.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    options = {
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "font.size": text,
        "axes.linewidth": 0.6,
    }
    with plotting().rc_context(options):
        yield


def dress(axes: Axes, *, grid: str = "both", hidden: tuple[str, ...] = ("top", "right")) -> None:
    """Draw a faint grid and hide the top and right sides of the axes."""
    axes.grid(visible=True, which="major", axis=grid, alpha=0.22, linewidth=0.6)  # type: ignore[arg-type]
    axes.tick_params(width=0.6)
    for side in hidden:
        axes.spines[side].set_visible(False)
