"""What is known of the items of a campaign, for a page: sentences and the picture of outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Protocol

import numpy as np

from thresher.number_text import counted, exact, whole_percent
from thresher.report.item_picture import item_picture
from thresher.report.svg import tag
from thresher.types import Floats, Ints

NAMED = 10  # items of a kind that are named


class HasItems(Protocol):
    """The items of a campaign, and the outcomes of all arms on them."""

    @property
    def arms(self) -> Sequence[str]:
        """Names of the arms."""

    @property
    def names(self) -> Sequence[str]:
        """Of the items."""

    @property
    def table(self) -> Floats:
        """The outcomes, or the mean outcomes, shape (K, N); NaN where there is none."""

    @property
    def hardest_first(self) -> Ints:
        """The places of the items, the hardest first, shape (N,)."""

    @property
    def share(self) -> float:
        """Of the variance of outcomes, what the items leave unexplained."""

    @property
    def counts(self) -> Ints:
        """How many outcomes each arm has on each item, shape (K, N)."""

    @property
    def is_repeated(self) -> bool:
        """Whether an item may be asked several times, so that `table` has means."""


def item_view(
    items: HasItems,
    unanimous: Mapping[str, Sequence[str]],
    *,
    low: float,
    high: float,
    is_exact: bool = True,
    is_judged: bool = False,
) -> str:
    """Return the statistics of items as markup.

    Parameters
    ----------
    items : HasItems
    unanimous : mapping
        The items on which all arms have the best outcome (``high``) or the worst (``low``).
    low, high : float
        The range of outcomes.
    is_exact : bool
        Whether the outcomes of an arm on all items tell its mean.
    is_judged : bool
        Whether answers have scores, which explain outcomes too.
    """
    drawn = item_picture(items.table, items.hardest_first, arms=items.arms, low=low, high=high)
    caption = f"{'Mean outcomes' if items.is_repeated else 'Outcomes'} of all arms on all items"
    region = tag("div", drawn, class_="scroll large", tabindex=0, role="region", aria_label=caption)
    figure = f"<figure><figcaption>{caption}</figcaption>{region}</figure>"
    ends = {"high": high, "low": low}
    words = [_extent(items), *_sentences(items, unanimous, ends, is_exact=is_exact, is_judged=is_judged)]
    return "".join(tag("p", escape(each)) for each in words) + figure


def _extent(items: HasItems) -> str:
    """Return how many items and outcomes there are."""
    n_arms, n_items = items.table.shape
    known, whole = int(np.count_nonzero(items.counts)), n_arms * n_items
    size = f"{counted(n_items, 'item')} for each of {counted(n_arms, 'arm')}"
    if not items.is_repeated:
        return f"{size}; {known:,} of {whole:,} outcomes."
    told = int(items.counts.sum())
    return f"{size}; {known:,} of {whole:,} pairs have an outcome, {counted(told, 'outcome')} in all."


def _sentences(
    items: HasItems,
    unanimous: Mapping[str, Sequence[str]],
    ends: Mapping[str, float],
    *,
    is_exact: bool,
    is_judged: bool,
) -> Iterator[str]:
    census = int(np.count_nonzero((items.counts > 0).all(axis=1)))
    if census and is_exact:
        arms = "1 arm has" if census == 1 else f"{census:,} arms have"
        yield f"{arms} an outcome on every item: the mean is exact and the decision certain."
    if items.share < 1.0:
        known = "asked and the score of the answer explain" if is_judged else "asked explains"
        yield f"Which item was {known} {whole_percent(1.0 - items.share)} of the variance of outcomes."
    for kind, found in unanimous.items():
        if found:
            count = counted(len(found), "item")
            yield f"Every arm that was asked has the outcome {exact(ends[kind])} on {count}: {_list(found)}"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else ".")
