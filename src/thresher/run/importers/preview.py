"""What was understood of a log, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from thresher.campaign import look_alike, similar_note
from thresher.report import counted, these_items
from thresher.run.importers.log import MappedLog
from thresher.run.importers.telling import Files
from thresher.run.shared_questions import recurring_column

MOST_SHOWN = 10  # values and rows of a preview
PLAIN = "verdicts are about the mean that each arm has in the long run"


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
    """One measurement: its place in the log, and its interpretation."""

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
        The name of the file, or the number of files; the format of the first.
    batch : str
        The id of the import.
    new_campaign : bool
        Whether the import creates the campaign.
    lines, measurements : int
        Lines with an outcome, and the measurements in them; more of these if lines are counts.
    before, missing, voided : int
        Lines that were told by an earlier import; lines of earlier versions that are not here; those that are voided.
    sources : list of str
        The sources of which the files are versions.
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
    recurring : str
        An unused column whose values recur in every arm, such as questions; empty if there is none.
    meaning : str
        What a verdict is about: these items, or further measurements of the arm.
    renamed : dict of str to str
        The names of arms and items that differ from the text in the log, and that text.
    alike : list of tuple of str
        Names of arms that differ only by case or blanks: each is an arm of its own.
    error : str
        Why the run of the tool ended, or its first failed measurement; empty if the log has no such message.
    rows : list of PreviewRow
        The first ten measurements.
    """

    file: str
    format: str
    campaign: str
    batch: str
    new_campaign: bool
    lines: int
    measurements: int
    before: int
    missing: int
    voided: int
    sources: list[str]
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
    recurring: str
    meaning: str
    renamed: dict[str, str]
    alike: list[tuple[str, ...]]
    error: str
    rows: list[PreviewRow]

    @property
    def new_arms(self) -> list[str]:
        """The arms that the import adds."""
        return [row.arm for row in self.arms if row.new]

    @property
    def created(self) -> str:
        """What the import creates, in words."""
        counts = [(len(self.new_arms), "arm"), (len(self.new_items), "item")]
        new = [f"the campaign {self.campaign!r}"] * self.new_campaign + [counted(n, what) for n, what in counts if n]
        return ", ".join(new) or "nothing"

    @property
    def lacking(self) -> str:
        """What the measurements lack that are left out."""
        return "an outcome or a right answer" if "gold" in self.columns else "an outcome"

    @property
    def alike_note(self) -> str:
        """The names that differ only by case or blanks, in a sentence; empty if there are none."""
        return similar_note(self.alike)

    @property
    def earlier_note(self) -> str:
        """What becomes of lines of earlier versions that are not here, in a sentence; empty if there are none."""
        return earlier_note(self.missing, self.voided)

    @property
    def has_rates(self) -> bool:
        """Whether the mean of every arm is from 0 to 1, so that it is shown as a rate."""
        return all(0.0 <= row.mean <= 1.0 for row in self.arms)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        lists = ("values", "arms", "rows")
        return asdict(self) | {key: [one._asdict() for one in getattr(self, key)] for key in lists}


def earlier_note(missing: int, voided: int) -> str:
    """Return the changes to lines of earlier versions that a new one lacks or corrects; empty if there are none."""
    n = voided or missing
    lines = f"{counted(n, 'line')} of earlier versions {'is' if n == 1 else 'are'}"
    if voided:
        return f"{lines} voided"
    return f"{lines} not in this one and still {'counts' if n == 1 else 'count'}" if missing else ""


def preview_of(
    logs: Sequence[MappedLog],
    files: Files,
    *,
    has_items: bool,
    has_repeats: bool,
    known_arms: Sequence[str],
    known_items: int,
    new_arms: Sequence[str],
    new_items: list[str],
    **found: Any,
) -> Preview:
    """Return what an import of logs would store; `found` are the fields that depend on the campaign.

    `known_arms` and `known_items` are the arms and the number of items that the campaign has.
    """
    values: Counter[tuple[str, float]] = Counter()
    for log in logs:
        values.update(log.values.counts)
    is_complete = all(log.values.is_complete for log in logs)
    items = dict.fromkeys(name for some in files.outcomes for name in some.items.texts if name)
    named = [name for some in files.outcomes for name in some.arms.texts if name]
    hint = _item_hint(logs, len(items)) if found["new_campaign"] else ""
    return Preview(
        **found,
        meaning=f"verdicts are about {these_items(known_items + len(new_items))} alone" if has_items else PLAIN + hint,
        alike=look_alike([*known_arms, *named]),
        error=next(filter(None, (log.log.error for log in logs)), ""),
        file=logs[0].log.name if len(logs) == 1 else f"{len(logs)} files",
        format=logs[0].log.format,
        batch=files.batch,
        lines=len(files),
        measurements=sum(int(some.counts.sum()) for some in files.outcomes),
        sources=[] if files.has_tickets else list(dict.fromkeys(files.source or log.log.name for log in logs)),
        left_out=sum(log.log.left_out + log.blank for log in logs),
        excluded=sum(len(log.left_out) for log in logs),
        columns=_columns(logs, has_items=has_items, has_repeats=has_repeats),
        found=list(dict.fromkeys(column for log in logs for column in log.log.columns)),
        values=[PreviewValue(*value, count) for value, count in values.most_common(MOST_SHOWN)],
        n_values=len(values) if is_complete else _different(files),
        arms=_arms(files, set(new_arms)),
        items=len(items) if has_items else 0,
        new_items=new_items,
        unused_items=bool(items) and not has_items,
        recurring="" if has_items or files.has_tickets else _recurring(logs),
        renamed={name: text for log in logs for name, text in log.renamed.items()},
        rows=_rows(logs, has_items=has_items),
    )


def _recurring(logs: Sequence[MappedLog]) -> str:
    """Return an unused column of all logs whose values recur in every arm; empty if there is none.

    A count sums over many measurements, so its other columns, such as the day, are groups and not questions.
    """
    columns = [log.columns for log in logs]
    if any(one.count for one in columns):
        return ""
    uses = [(*one.arm, one.outcome, one.count, one.squares, one.ticket, one.gold) for one in columns]
    used = {column for use in uses for column in use} | {column for one in columns for column, _ in one.leave_out}
    named = (
        (one.arm_name or "\x1f".join(str(record.cells.get(name)) for name in one.arm), record.cells)
        for log, one in zip(logs, columns, strict=True)
        for record in log.log.records
    )
    return recurring_column(named, used)


def _item_hint(logs: Sequence[MappedLog], n_items: int) -> str:
    """Return how to ask for a verdict about items, if the logs have a column that may name them."""
    column = " ".join(logs[0].columns.item)
    return f"; for verdicts about {these_items(n_items)} alone add --item-column {column}" if n_items and column else ""


def _different(files: Files) -> int:
    """Return how many different outcomes there are."""
    return len(np.unique(np.concatenate([some.values for some in files.outcomes])))


def _columns(logs: Sequence[MappedLog], *, has_items: bool, has_repeats: bool) -> dict[str, list[str]]:
    """Return the columns by what they are used for; uses without a column are left out."""
    uses: dict[str, list[str]] = {}
    for columns in (log.columns for log in logs):
        for use, names in (
            ("arm", columns.arm),
            ("item", columns.item if has_items else ()),
            ("repeat", (columns.repeat,) if has_repeats else ()),
            ("outcome", (columns.outcome,)),
            ("gold", (columns.gold,)),
            ("count", (columns.count,)),
            ("squares", (columns.squares,)),
            ("key", columns.key),
            ("ticket", (columns.ticket,)),
        ):
            uses[use] = list(dict.fromkeys([*uses.get(use, []), *filter(None, names)]))
    return {use: names for use, names in uses.items() if names}


def _arms(files: Files, new: set[str]) -> list[PreviewArm]:
    """Return what the files have of each arm."""
    counts: Counter[str] = Counter()
    totals: dict[str, float] = {}
    for some in files.outcomes:
        pulls = np.bincount(some.arm_positions, some.counts, len(some.arms.texts))
        sums = np.bincount(some.arm_positions, some.values, len(some.arms.texts))
        for name, count, total in zip(some.arms.texts, pulls.tolist(), sums.tolist(), strict=True):
            counts[name] += int(count)
            totals[name] = totals.get(name, 0.0) + total
    return [PreviewArm(name, counts[name], totals[name] / counts[name], name in new) for name in counts if name]


def _rows(logs: Sequence[MappedLog], *, has_items: bool) -> list[PreviewRow]:
    """Return the first measurements."""
    return [
        PreviewRow(one.place, one.arm or one.ticket, one.item if has_items else "", text, one.value)
        for log in logs
        for one, text in zip(log.outcomes[:MOST_SHOWN], log.values.first, strict=False)
    ][:MOST_SHOWN]
