"""What was understood of a log, before anything is stored."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


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
