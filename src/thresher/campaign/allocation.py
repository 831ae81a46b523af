"""How the next batch of measurements should be split over the arms, without reserving anything."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from thresher.campaign.ledger import ARCHIVED, CLOSED, PAUSED, Arm, ArmAndItem, decisions
from thresher.campaign.storage import RowsToRead
from thresher.campaign.stored_campaign import StoredCampaign
from thresher.errors import InvalidInputError
from thresher.problem import amount_of, ticks_of

if TYPE_CHECKING:
    from thresher.campaign.stored_verdicts import CampaignJudging

MOST_MEASUREMENTS = 1_000_000  # of one allocation


@dataclass(frozen=True, slots=True)
class AllocatedArm:
    """What the next batch spends on one arm.

    Attributes
    ----------
    arm : str
    measurements : int
    share : float
        Of all measurements of the batch.
    cost : float
        In the unit of the budget.
    items : tuple of str
        The items to measure, in order; empty without items.
    """

    arm: str
    measurements: int
    share: float
    cost: float
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Allocation(Sequence[AllocatedArm]):
    """One row for each arm, in the order of the arms.

    Parameters
    ----------
    rows : tuple of AllocatedArm
    budget : float
        What the batch may cost.
    note : str
        Why nothing or less than the budget is allocated; empty if there is nothing to say.
    """

    rows: tuple[AllocatedArm, ...]
    budget: float
    note: str = ""

    @overload
    def __getitem__(self, index: int) -> AllocatedArm: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AllocatedArm]: ...
    def __getitem__(self, index: int | slice) -> AllocatedArm | Sequence[AllocatedArm]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[AllocatedArm]:
        return iter(self.rows)

    @property
    def measurements(self) -> int:
        """The number of measurements of the batch."""
        return sum(row.measurements for row in self.rows)

    @property
    def cost(self) -> float:
        """The cost of the batch, in the unit of the budget."""
        return amount_of(sum(ticks_of(row.cost) for row in self.rows if row.cost))

    def to_dict(self) -> dict[str, Any]:
        """Return the allocation as the JSON document of every surface."""
        rows = [{name: getattr(row, name) for name in row.__slots__} | {"items": list(row.items)} for row in self.rows]
        totals = {"budget": self.budget, "cost": self.cost, "measurements": self.measurements}
        return {"arms": rows, **totals, "note": self.note}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Allocation:
        """Return the allocation of a JSON document."""
        rows = [AllocatedArm(**row | {"items": tuple(row["items"])}) for row in document["arms"]]
        return cls(tuple(rows), document["budget"], document["note"])

    def to_csv(self) -> str:
        """Return the arms that get measurements as CSV text: arm, measurements, share, cost."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["arm", "measurements", "share", "cost"])
        rows = [row for row in self.rows if row.measurements]
        writer.writerows([row.arm, row.measurements, f"{row.share:.6g}", f"{row.cost:.12g}"] for row in rows)
        return text.getvalue()

    def to_frame(self) -> Any:
        """Return the rows as a data frame of whichever library is installed."""
        from thresher.report import frame_of

        return frame_of([{name: getattr(row, name) for name in row.__slots__} for row in self.rows])


def allocate(stored: StoredCampaign, judging: CampaignJudging, budget: Any) -> Allocation:
    """Return how a batch of that cost should be split over the arms of a campaign.

    Each measurement goes where the next ticket would go, with those before it in flight.

    Raises
    ------
    InvalidInputError
        If the budget is not a positive amount, or pays too many measurements.
    """
    ticks = ticks_of(budget, what="budget")
    state = stored.look(RowsToRead(arms_since=0, reissue=stored.terms.expiry == "reissue"))
    arms = [state.arms[k] for k in range(state.ledger.arms)]
    most = _most(arms, ticks, state.ledger.turns)
    if most > MOST_MEASUREMENTS:
        rule = f"must pay at most {MOST_MEASUREMENTS:,} measurements at a time, not {most:,}"
        raise InvalidInputError("budget", budget, rule=rule, fix="allocate a smaller batch")
    enough = judging.has_enough(state)
    chosen = [] if enough else decisions.allocate(stored.machine, state, budget=ticks, most=most)
    left = ticks - sum(arms[place[0]].pull_cost for place in chosen)
    note = _note(state.ledger.state, is_enough=enough, is_short=left >= min(arm.pull_cost for arm in arms))
    names = stored.names_of_items() if state.ledger.pools else []
    return Allocation(tuple(_rows(arms, chosen, names)), amount_of(ticks), note)


def _most(arms: Sequence[Arm], ticks: int, turns: int) -> int:
    """Return the largest number of measurements of an allocation, given that of an arm (0 without a limit)."""
    most = ticks // min(arm.pull_cost for arm in arms)
    return min(most, turns * len(arms)) if turns else most


def _rows(arms: Sequence[Arm], chosen: Sequence[ArmAndItem], names: Sequence[str]) -> Iterator[AllocatedArm]:
    counts = Counter(place[0] for place in chosen)
    items: dict[int, list[str]] = {}
    for place in chosen:
        if len(place) > 1:
            items.setdefault(place[0], []).append(names[place[1]])
    for arm in arms:
        count = counts[arm.position]
        share = count / len(chosen) if chosen else 0.0
        yield AllocatedArm(arm.name, count, share, amount_of(count * arm.pull_cost), tuple(items.get(arm.position, ())))


def _note(status: str, *, is_enough: bool, is_short: bool) -> str:
    """Return why an allocation does not use its whole budget."""
    if status in (CLOSED, PAUSED, ARCHIVED):
        return f"the campaign is {status}: it asks for no measurements"
    if is_enough:
        return "no more mistakes are expected than the campaign allows"
    return "no arm needs another measurement" if is_short else ""
