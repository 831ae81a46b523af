"""Import of a log into a campaign that may lack arms or items, or not exist yet: a preview, then all of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.campaign import Terms
from thresher.errors import (
    CampaignClosedError,
    InvalidInputError,
    InvalidOutcomeError,
    UnknownCampaignError,
)
from thresher.live import Campaign
from thresher.live.arms import arm_rows, first_rows
from thresher.live.creation import first_events
from thresher.runner.adapters.log import MappedLog
from thresher.runner.adapters.preview import Preview, preview_of
from thresher.runner.adapters.telling import (
    Imported,
    check_arms,
    check_items,
    check_values,
    known_arms,
    stored_pairs,
    tell_log,
    told_before,
)
from thresher.storage import Storage


@dataclass(frozen=True, kw_only=True)
class Creation:
    """Permission to create what a log names and a campaign lacks, and the numbers that this needs.

    Parameters
    ----------
    threshold : float, optional
        The bar of new arms. The default is the bar that all arms of the campaign share.
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
        self._address, self._name, self._log, self._creation = address, name, log, creation
        self.campaign = _find(address, name, may_be_missing=creation is not None)
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
        return preview_of(
            self._log,
            campaign=self._name,
            is_new=self.campaign is None,
            before=sum(one.id in self._before for one in self._log.outcomes),
            has_items=self._has_items,
            new_arms=self._new_arms,
            new_items=self._new_items,
        )

    def store(self, progress: Callable[[int, int], None] | None = None) -> Imported:
        """Create what is missing, and tell all outcomes; return counts.

        If the database fails in between, repeating the import stores the rest.
        """
        if self.campaign is None:
            self.campaign = self._create()
        else:
            if self._new_arms:
                self.campaign.add_arms(self._new_arms, **self._numbers())
            if self._new_items:
                self.campaign.add_items(self._new_items)
        return tell_log(self.campaign, self._log.outcomes, progress=progress)

    def _check(self) -> None:
        outcomes, is_new = self._log.outcomes, self.campaign is None
        terms = Terms(**(self._creation or Creation()).terms) if self.campaign is None else self.campaign.terms
        check_values(terms, outcomes)
        self._new_arms, self._new_items, self._before = list[str](), list[str](), set[str]()
        self._has_items = bool(self._log.columns.item) if self.campaign is None else bool(self.campaign.standing.items)
        if any(one.ticket for one in outcomes):
            if is_new:
                raise UnknownCampaignError(self._name, ())
            return
        arms = [] if self.campaign is None else known_arms(self.campaign)
        self._new_arms = self._missing([one.arm for one in outcomes], arms)
        check_arms([*arms, *self._new_arms], outcomes)
        if self._has_items:
            self._check_items()
        if self.campaign is None:
            self._check_creation(terms)
        else:
            self._check_growth(self.campaign)

    def _missing(self, names: list[str], known: list[str]) -> list[str]:
        """Return the names that are created."""
        if self._creation is None:
            return []
        return [name for name in dict.fromkeys(names) if name and name not in set(known)]

    def _check_items(self) -> None:
        items = None if self.campaign is None else self.campaign.items()
        known = [] if items is None else list(items.names)
        self._new_items = self._missing([one.item for one in self._log.outcomes], known)
        check_items([*known, *self._new_items], self._log.outcomes, {} if items is None else stored_pairs(items))

    def _check_creation(self, terms: Terms) -> None:
        """Raise if the campaign cannot be created."""
        assert self._creation is not None
        if self._creation.budget is None:
            raise InvalidInputError(
                "budget", rule=f"there is no campaign {self._name!r}, and a new one needs it", fix="add --budget"
            )
        rows = first_rows(terms, self._new_arms, thresholds=self._creation.threshold, sigma=self._creation.sigma)
        first_events(self._name, terms, rows, budget=self._creation.budget, items=self._new_items)

    def _check_growth(self, campaign: Campaign) -> None:
        """Raise if the campaign has other terms, cannot take the new arms and items, or was told what is left out."""
        for key, value in ({} if self._creation is None else self._creation.terms).items():
            if getattr(campaign.terms, key) != value:
                rule = f"must be {getattr(campaign.terms, key)}, as in the campaign {campaign.name!r}"
                raise InvalidInputError(key, value, rule=rule, fix="leave it out, or name another campaign")
        if (self._new_arms or self._new_items) and campaign.standing.status == "closed":
            raise CampaignClosedError(campaign.name, "take new arms or items")
        if self._new_arms:
            numbers = self._numbers()
            arm_rows(campaign.terms, self._new_arms, thresholds=numbers["threshold"], sigma=numbers["sigma"])
        self._before = told_before(campaign, [*self._log.outcomes, *self._log.left_out])
        again = [one for one in self._log.left_out if one.id in self._before]
        if again:
            raise InvalidOutcomeError(
                f"{len(again)} of the measurements to leave out were told before, the first in {again[0].place}",
                instead="void their import first (thresher void --import), or import into a new campaign; "
                "nothing was stored",
            )

    def _numbers(self) -> dict[str, float | None]:
        """Return the bar and the standard deviation of new arms."""
        assert self.campaign is not None
        assert self._creation is not None
        bar, bars = self._creation.threshold, {row.threshold for row in self.campaign.verdicts()}
        if bar is None and not self.campaign.terms.control:
            if len(bars) > 1:
                rule = "must be given for new arms: those of the campaign have different bars"
                raise InvalidInputError("threshold", rule=rule, fix="add --threshold")
            bar = bars.pop()
        return {"threshold": bar, "sigma": self._creation.sigma}

    def _create(self) -> Campaign:
        assert self._creation is not None
        assert self._creation.budget is not None
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # the budget is shown with the campaign
            return Campaign.create(
                self._address,
                self._name,
                arms=self._new_arms,
                items=self._new_items or None,
                budget=self._creation.budget,
                threshold=self._creation.threshold,
                sigma=self._creation.sigma,
                **self._creation.terms,
            )


def _find(address: str | Storage, name: str, *, may_be_missing: bool) -> Campaign | None:
    if may_be_missing and _is_no_file(address):
        return None
    try:
        return Campaign.open(address, name)
    except UnknownCampaignError:
        if may_be_missing:
            return None
        raise


def _is_no_file(address: str | Storage) -> bool:
    """Return whether an address is that of an SQLite file that is not there: a campaign that is created makes it."""
    scheme, _, rest = address.partition(":///") if isinstance(address, str) else ("", "", "")
    return scheme == "sqlite" and not Path(rest.partition("?")[0]).exists()
