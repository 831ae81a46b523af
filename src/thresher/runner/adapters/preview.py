"""What was understood of a log, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from thresher.runner.adapters.log import MappedLog
from thresher.runner.adapters.telling import batch_id

MOST_VALUES = 10  # values and rows that a preview shows


class PreviewValue(NamedTuple):
    """What a value in the log counts as, and how often it occurs."""

    text: str
    outcome: float
    measurements: int


class PreviewArm(NamedTuple):
    """What the log has of one arm."""

    arm: str
    measurements: int
    mean: float
    new: bool


class PreviewRow(NamedTuple):
    """One measurement: where it is in the log, and what it was understood as."""

    place: str
    arm: str
    item: str
    text: str
    outcome: float


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What an import would store, and what it would leave out.

    Parameters
    ----------
    file, format, campaign : str
    batch : str
        The id of the import.
    new_campaign : bool
        Whether the import creates the campaign.
    measurements, before : int
        With an outcome; of those, told by an earlier import.
    left_out, excluded : int
        Measurements without an outcome; measurements that were to be left out.
    columns : dict of str to list of str
        The columns that name the arm, the item, the outcome, the key and the ticket.
    found : list of str
        All columns of the log.
    values : list of PreviewValue
        The most frequent values of the outcome, at most ten.
    n_values : int
        How many different values there are.
    arms : list of PreviewArm
    items : int
        Number of items in the log; 0 if the campaign has no items.
    new_items : list of str
        Items that the import adds.
    unused_items : bool
        Whether the log names items and the campaign has none.
    renamed : dict of str to str
        The names of arms and items that differ from the text in the log, and that text.
    rows : list of PreviewRow
        The first ten measurements.
    """

    file: str
    format: str
    campaign: str
    batch: str
    new_campaign: bool
    measurements: int
    before: int
    left_out: int
    excluded: int
    columns: dict[str, list[str]]
    found: list[str]
    values: list[PreviewValue]
    n_values: int
    arms: list[PreviewArm]
    items: int
    new_items: list[str]
    unused_items: bool
    renamed: dict[str, str]
    rows: list[PreviewRow]

    @property
    def new_arms(self) -> list[str]:
        """The arms that the import adds."""
        return [row.arm for row in self.arms if row.new]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        lists = ("values", "arms", "rows")
        return asdict(self) | {key: [one._asdict() for one in getattr(self, key)] for key in lists}


def preview_of(
    log: MappedLog,
    *,
    campaign: str,
    is_new: bool,
    before: int,
    has_items: bool,
    new_arms: Collection[str],
    new_items: Collection[str],
) -> Preview:
    """Return what was understood of a log; `before` is the number of outcomes that were told before."""
    texts = [str(cell)[:200] for cell in log.cells]
    pairs = list(zip(log.outcomes, texts, strict=True))
    values = Counter((text, one.value) for one, text in pairs)
    items = {one.item for one in log.outcomes if one.item}
    return Preview(
        file=log.log.name,
        format=log.log.format,
        campaign=campaign,
        batch=batch_id(log.outcomes),
        new_campaign=is_new,
        measurements=len(log.outcomes),
        before=before,
        left_out=log.log.left_out,
        excluded=len(log.left_out),
        columns=_columns(log, has_items=has_items),
        found=log.log.columns,
        values=[PreviewValue(*value, count) for value, count in values.most_common(MOST_VALUES)],
        n_values=len(values),
        arms=_arms(log, set(new_arms)),
        items=len(items) if has_items else 0,
        new_items=list(new_items),
        unused_items=bool(items) and not has_items,
        renamed=log.renamed,
        rows=[
            PreviewRow(one.place, one.arm or one.ticket, one.item if has_items else "", text, one.value)
            for one, text in pairs[:MOST_VALUES]
        ],
    )


def _columns(log: MappedLog, *, has_items: bool) -> dict[str, list[str]]:
    """Return the columns by what they are used for; uses without a column are left out."""
    columns = log.columns
    uses = {
        "arm": list(columns.arm),
        "item": list(columns.item) if has_items else [],
        "outcome": [columns.outcome],
        "key": [columns.key] if columns.key else [],
        "ticket": [columns.ticket] if columns.ticket else [],
    }
    return {use: names for use, names in uses.items() if names}


def _arms(log: MappedLog, new: Collection[str]) -> list[PreviewArm]:
    values: dict[str, list[float]] = {}
    for one in log.outcomes:
        if one.arm:
            values.setdefault(one.arm, []).append(one.value)
    return [PreviewArm(arm, len(found), sum(found) / len(found), arm in new) for arm, found in values.items()]
