"""Import of a log into a campaign that may lack arms or items, or not exist yet: a preview, then all of it."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.campaign import Terms
from thresher.errors import CampaignClosedError, InvalidInputError, InvalidOutcomeError, UnknownCampaignError
from thresher.live import Campaign
from thresher.live.arms import arm_rows, first_rows
from thresher.live.creation import first_events
from thresher.runner.adapters import telling
from thresher.runner.adapters.log import MappedLog
from thresher.runner.adapters.preview import Preview, PreviewArm, PreviewRow, PreviewValue
from thresher.runner.adapters.telling import Imported, Progress
from thresher.storage import Storage

MOST_SHOWN = 10  # values and rows of a preview


@dataclass(frozen=True, kw_only=True)
class Creation:
    """Permission to create what a log names and a campaign lacks, and the numbers that this needs.

    Parameters
    ----------
    threshold : float, optional
        The bar of new arms. The default is the bar that all arms of the campaign share. Without new arms it must be a
        bar that the campaign has.
    sigma : float, optional
        The standard deviation of new arms of the family ``gaussian``.
    budget : float, optional
        Of a new campaign; one that exists keeps its own.
    terms : mapping of str to object
        Of a new campaign; one that exists must have the same.
    """

    threshold: float | None = None
    sigma: float | None = None
    budget: float | None = None
    terms: Mapping[str, Any] = field(default_factory=dict)


class LogImport:
    """A log and the campaign into which it goes: all is checked when it is made, nothing is stored before `store`.

    Parameters
    ----------
    address : str or Storage
    name : str
        Of the campaign.
    log : MappedLog
    creation : Creation, optional
        Create arms, items and the campaign if they are missing; without it, what is missing is an error.

    Raises
    ------
    InvalidOutcomeError
        If a line does not fit the campaign; the message names it.
    InvalidInputError
        If a number is missing that a new arm or a new campaign needs, or breaks its rule.
    UnknownCampaignError
        If there is no such campaign, and none may be created.
    CampaignClosedError
        If arms or items are missing in a closed campaign.
    """

    def __init__(self, address: str | Storage, name: str, log: MappedLog, creation: Creation | None = None) -> None:
        self._address, self._name, self._log = address, name, log
        self._may_create, self._creation = creation is not None, creation or Creation()
        self._bar = self._creation.threshold
        self._new_arms, self._new_items, self._before = list[str](), list[str](), set[str]()
        self.campaign = self._find()
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the database, unless the storage was given."""
        if self.campaign is not None and isinstance(self._address, str):
            self.campaign.disconnect()

    @property
    def preview(self) -> Preview:
        """What would be stored, and what would be left out."""
        log, outcomes, has_items = self._log, self._log.outcomes, self._has_items
        pairs = [(one, str(cell)[:200]) for one, cell in zip(outcomes, log.cells, strict=True)]
        values = Counter((text, one.value) for one, text in pairs)
        items = {one.item for one in outcomes if one.item}
        return Preview(
            file=log.log.name,
            format=log.log.format,
            campaign=self._name,
            batch=telling.batch_id(outcomes),
            new_campaign=self.campaign is None,
            measurements=len(outcomes),
            before=sum(one.id in self._before for one in outcomes),
            left_out=log.log.left_out,
            excluded=len(log.left_out),
            columns=self._columns(),
            found=log.log.columns,
            values=[PreviewValue(*value, count) for value, count in values.most_common(MOST_SHOWN)],
            n_values=len(values),
            arms=self._arms(),
            items=len(items) if has_items else 0,
            new_items=self._new_items,
            unused_items=bool(items) and not has_items,
            renamed=log.renamed,
            rows=[
                PreviewRow(one.place, one.arm or one.ticket, one.item if has_items else "", text, one.value)
                for one, text in pairs[:MOST_SHOWN]
            ],
        )

    def _columns(self) -> dict[str, list[str]]:
        """Return the columns by what they are used for; uses without a column are left out."""
        columns = self._log.columns
        uses = {
            "arm": list(columns.arm),
            "item": list(columns.item) if self._has_items else [],
            "outcome": [columns.outcome],
            "key": [columns.key] if columns.key else [],
            "ticket": [columns.ticket] if columns.ticket else [],
        }
        return {use: names for use, names in uses.items() if names}

    def _arms(self) -> list[PreviewArm]:
        values: dict[str, list[float]] = {}
        for one in self._log.outcomes:
            if one.arm:
                values.setdefault(one.arm, []).append(one.value)
        new = set(self._new_arms)
        return [PreviewArm(arm, len(found), sum(found) / len(found), arm in new) for arm, found in values.items()]

    def store(self, progress: Progress | None = None) -> Imported:
        """Create what is missing, and tell all outcomes; return counts.

        If the database fails in between, repeating the import stores the rest.
        """
        if self.campaign is None:
            self.campaign = self._create()
        else:
            if self._new_arms:
                self.campaign.add_arms(self._new_arms, threshold=self._bar, sigma=self._creation.sigma)
            if self._new_items:
                self.campaign.add_items(self._new_items)
        return telling.tell_log(self.campaign, self._log.outcomes, progress=progress)

    def _check(self) -> None:
        campaign, outcomes = self.campaign, self._log.outcomes
        terms = Terms(**self._creation.terms) if campaign is None else campaign.terms
        telling.check_values(terms, outcomes)
        self._has_items = bool(self._log.columns.item if campaign is None else campaign.standing.items)
        if any(one.ticket for one in outcomes):
            if campaign is None:
                raise UnknownCampaignError(self._name, ())
            return
        arms = [] if campaign is None else telling.known_arms(campaign)
        self._new_arms = self._missing([one.arm for one in outcomes], arms)
        telling.check_arms([*arms, *self._new_arms], outcomes)
        if self._has_items:
            items = None if campaign is None else campaign.items()
            known, stored = ((), {}) if items is None else (items.names, telling.stored_pairs(items))
            self._new_items = self._missing([one.item for one in outcomes], known)
            telling.check_items([*known, *self._new_items], outcomes, stored)
        if campaign is None:
            self._check_creation(terms)
        else:
            self._check_growth(campaign)

    def _missing(self, names: Iterable[str], known: Iterable[str]) -> list[str]:
        """Return the names that are created."""
        there = {"", *known}
        return [name for name in dict.fromkeys(names) if name not in there] if self._may_create else []

    def _check_creation(self, terms: Terms) -> None:
        """Raise if the campaign cannot be created."""
        if self._creation.budget is None:
            raise InvalidInputError(
                "budget", rule=f"there is no campaign {self._name!r}, and a new one needs it", fix="add --budget"
            )
        rows = first_rows(terms, self._new_arms, thresholds=self._bar, sigma=self._creation.sigma)
        first_events(self._name, terms, rows, budget=self._creation.budget, items=self._new_items)

    def _check_growth(self, campaign: Campaign) -> None:
        """Raise if the campaign has other terms, cannot take the new arms and items, or was told what is left out."""
        for key, value in self._creation.terms.items():
            if getattr(campaign.terms, key) != value:
                rule = f"must be {getattr(campaign.terms, key)}, as in the campaign {campaign.name!r}"
                raise InvalidInputError(key, value, rule=rule, fix="leave it out, or name another campaign")
        if (self._new_arms or self._new_items) and campaign.standing.status == "closed":
            raise CampaignClosedError(campaign.name, "take new arms or items")
        if self._new_arms:
            self._bar = self._shared_bar(campaign) if self._bar is None else self._bar
            arm_rows(campaign.terms, self._new_arms, thresholds=self._bar, sigma=self._creation.sigma)
        elif self._bar is not None:
            self._check_bar(campaign, self._bar)
        self._before = telling.told_before(campaign, [*self._log.outcomes, *self._log.left_out])
        again = [one for one in self._log.left_out if one.id in self._before]
        if again:
            raise InvalidOutcomeError(
                f"{len(again)} of the measurements to leave out were told before, the first in {again[0].place}",
                instead="void their import first (thresher void --import), or import into a new campaign; "
                "nothing was stored",
            )

    def _check_bar(self, campaign: Campaign, given: float) -> None:
        """Raise if no arm has the bar that is given although there are no new arms."""
        bars = [] if campaign.terms.control else sorted({row.threshold for row in campaign.verdicts()})
        if not any(math.isclose(bar, given) for bar in bars):
            rule = f"must be {bars[0]:g}" if len(bars) == 1 else "must be left out without new arms"
            where = f", as in the campaign {campaign.name!r}" if len(bars) == 1 else ""
            raise InvalidInputError("threshold", given, rule=rule + where, fix="leave it out, or name another campaign")

    def _shared_bar(self, campaign: Campaign) -> float | None:
        """Return the bar that all arms share; None with a control."""
        if campaign.terms.control:
            return None
        bar, *others = {row.threshold for row in campaign.verdicts()}
        if others:
            rule = "must be given for new arms: those of the campaign have different bars"
            raise InvalidInputError("threshold", rule=rule, fix="add --threshold")
        return bar

    def _create(self) -> Campaign:
        assert self._creation.budget is not None
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # the budget is shown with the campaign
            return Campaign.create(
                self._address,
                self._name,
                arms=self._new_arms,
                items=self._new_items or None,
                budget=self._creation.budget,
                threshold=self._bar,
                sigma=self._creation.sigma,
                **self._creation.terms,
            )

    def _find(self) -> Campaign | None:
        """Return the campaign; None if it may be created."""
        if self._may_create and _is_no_file(self._address):
            return None
        try:
            return Campaign.open(self._address, self._name)
        except UnknownCampaignError:
            if self._may_create:
                return None
            raise


def _is_no_file(address: str | Storage) -> bool:
    """Return whether an address is that of an SQLite file that is not there: a campaign that is created makes it."""
    scheme, _, rest = address.partition(":///") if isinstance(address, str) else ("", "", "")
    return scheme == "sqlite" and not Path(rest.partition("?")[0]).exists()
