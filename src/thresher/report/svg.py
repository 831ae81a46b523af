"""Pictures as SVG text: scales, ticks and axes, with colours left to a style sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from thresher.number_text import exact
from thresher.types import Floats

ROOM = 10.0  # pixels to the right of a horizontal axis
WIDEST = 8.0  # pixels of a character of a tick, on a phone
FEWEST = 4  # values that can have an outlier among them


def tag(name: str, content: str | None = None, **attributes: object) -> str:
    """Return one element; content is markup already, attributes are escaped.

    An underscore in the name of an attribute becomes a hyphen; a trailing one is removed: ``class_``.
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{given}/>" if content is None else f"<{name}{given}>{content}</{name}>"


def _value(value: object) -> str:
    return place(value) if isinstance(value, float) else escape(str(value))


def place(value: float) -> str:
    """Return a coordinate to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def text(content: str, x: float, y: float, *, anchor: str = "start", class_: str = "label") -> str:
    """Return a line of text."""
    return tag("text", escape(content), x=x, y=y, text_anchor=anchor, class_=class_)


@dataclass(frozen=True)
class Scale:
    """A scale from values to pixels.

    Parameters
    ----------
    low, high : float
        Values at the ends; `low` < `high`.
    start, end : float
        Pixels at these values.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value, clipped to the scale."""
        share = (self.clip(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def places(self, values: Floats) -> Floats:
        """Return the positions of many values, shape (K,)."""
        shares = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        return np.asarray(self.start + shares * (self.end - self.start))

    def clip(self, value: float) -> float:
        """Return the nearest value on the scale."""
        return self.low if value < self.low else self.high if value > self.high else value

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values on the scale."""
        return round_values(self.low, self.high, about)


def round_values(low: float, high: float, about: int = 5) -> list[float]:
    """Return about `about` round values from `low` to `high`."""
    step = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(step))
    step = next(unit * power for unit in (1.0, 2.0, 5.0, 10.0) if unit * power >= step * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def span_of(values: Sequence[float], *, margin: float = 0.05) -> tuple[float, float]:
    """Return the ends of a scale that shows all values; never empty."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if low == high:
        reach = abs(low) or 1.0
        return low - 0.5 * reach, high + 0.5 * reach
    return low - margin * (high - low), high + margin * (high - low)


def without_outliers(values: Sequence[float]) -> list[float]:
    """Return the finite values at most three interquartile ranges beyond the quartiles; all of fewer than four."""
    finite = [value for value in values if math.isfinite(value)]
    if len(finite) < FEWEST:
        return finite
    lower, upper = np.quantile(finite, (0.25, 0.75)).tolist()
    reach = 3.0 * (upper - lower)
    return [value for value in finite if lower - reach <= value <= upper + reach] if reach else finite


def axis_below(scale: Scale, y: float, title: str, *, about: int = 6) -> str:
    """Return a horizontal axis with its ticks and title."""
    parts = [tag("line", x1=scale.start, x2=scale.end, y1=y, y2=y, class_="axis")]
    for value in scale.ticks(about):
        x = scale(value)
        parts.append(tag("line", x1=x, x2=x, y1=y, y2=y + 4, class_="axis"))
        parts.append(_tick_below(exact(value), x, y + 17, scale.end + ROOM))
    parts.append(text(title, 0.5 * (scale.start + scale.end), y + 34, anchor="middle"))
    return "".join(parts)


def _tick_below(words: str, x: float, y: float, end: float) -> str:
    """Return the text of a tick: centred below it, or ending at `end` where it would leave the picture."""
    if x + 0.5 * WIDEST * len(words) > end:
        return text(words, end, y, anchor="end", class_="tick")
    return text(words, x, y, anchor="middle", class_="tick")


def axis_left(scale: Scale, x: float, end: float, title: str, *, about: int = 5) -> str:
    """Return a vertical axis with its ticks, lines across the picture to `end`, and its title on top."""
    parts = []
    for value in scale.ticks(about):
        y = scale(value)
        parts.append(tag("line", x1=x, x2=end, y1=y, y2=y, class_="grid"))
        parts.append(text(exact(value), x - 6, y + 4, anchor="end", class_="tick"))
    parts.append(text(title, x - 40, min(scale.start, scale.end) - 16))
    return "".join(parts)


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Return whether two boxes overlap, each given by its left, top, right and bottom."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def arrow(x: float, y: float, *, to_left: bool, class_: str) -> str:
    """Return an arrowhead with its tip at a position, for a value outside the picture."""
    back = 6.0 if to_left else -6.0
    return tag("path", d=f"M{place(x)} {place(y)}l{place(back)} -4v8z", class_=class_)


def nothing_yet(x: float, y: float) -> str:
    """Return the text of an empty picture, centred at a position."""
    return text("no outcome yet", x, y, anchor="middle")


def picture(content: str, *, width: int, height: int, label: str, has_links: bool = False) -> str:
    """Return a whole picture; the label is the text for screen readers.

    A picture with links is a group: the content of an image is not presented to screen readers.
    """
    return tag(
        "svg", content, viewBox=f"0 0 {width} {height}", role="group" if has_links else "img", aria_label=label,
        class_="picture", xmlns="http://www.w3.org/2000/svg",
    )  # fmt: skip
