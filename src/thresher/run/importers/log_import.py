"""Import of a log into a campaign that may lack arms or items, or not exist yet: a preview, then all of it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.campaign import Campaign, Imported, ImportOptions, Progress, arm_rows, first_events, first_rows
from thresher.campaign.ledger import ImportLog, ItemKey, Terms
from thresher.campaign.storage import Storage
from thresher.errors import CampaignClosedError, InvalidInputError, InvalidOutcomeError, UnknownCampaignError
from thresher.report import exact
from thresher.run.importers import telling
from thresher.run.importers.log import MappedLog
from thresher.run.importers.preview import Preview, preview_of
from thresher.run.importers.telling import Files


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
    logs : MappedLog, or sequence of MappedLog
        Several are one import.
    creation : Creation, optional
        Create arms, items and the campaign if they are missing; without it, what is missing is an error.
    source : str
        The source of which the logs are a version; by default the name of each file.
    options : ImportOptions, optional
        How they are compared with earlier versions.

    Raises
    ------
    ImportConflictError, LikelyCopyError
        If the logs contradict what was imported before, or may be a copy of it.
    InvalidOutcomeError
        If a line does not fit the campaign; the message names it.
    InvalidInputError
        If a number is missing that a new arm or a new campaign needs, or breaks its rule.
    UnknownCampaignError
        If there is no such campaign, and none may be created.
    CampaignClosedError
        If arms or items are missing in a closed campaign.
    """

    def __init__(
        self,
        address: str | Storage,
        name: str,
        logs: MappedLog | Sequence[MappedLog],
        creation: Creation | None = None,
        *,
        source: str = "",
        options: ImportOptions | None = None,
    ) -> None:
        self._address, self._name = address, name
        self._logs = [logs] if isinstance(logs, MappedLog) else list(logs)
        self._files = Files.of(self._logs, source, options)
        self._may_create, self._creation = creation is not None, creation or Creation()
        self._bar = self._creation.threshold
        self._new_arms, self._new_items = list[str](), list[str]()
        self._before, self._missing, self._voided = 0, 0, 0
        self._known_arms, self._n_items = list[str](), 0
        self.campaign = self._find()
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the database, unless the storage was given."""
        if self.campaign is not None:
            self.campaign.disconnect()

    @property
    def preview(self) -> Preview:
        """What would be stored, and what would be left out."""
        return preview_of(
            self._logs,
            self._files,
            has_items=self._has_items,
            has_repeats=self._has_repeats,
            known_arms=self._known_arms,
            known_items=self._n_items,
            campaign=self._name,
            new_campaign=self.campaign is None,
            before=self._before,
            missing=self._missing,
            voided=self._voided,
            new_arms=self._new_arms,
            new_items=self._new_items,
        )

    def store(self, progress: Progress | None = None) -> Imported:
        """Create what is missing, and tell all outcomes; return counts.

        If the database fails in between, repeating the import stores the rest.
        """
        if self.campaign is None:
            self.campaign = self._create()
        else:
            if self._new_arms:
                bar, sigma = self._bar, self._creation.sigma
                self.campaign.add_arms(self._new_arms, threshold=bar, sigma=sigma, measured=self._measured)
            if self._new_items:
                self.campaign.add_items(self._new_items)
        return telling.tell_files(self.campaign, self._files, progress=progress)

    def _check(self) -> None:
        campaign, files = self.campaign, self._files
        terms = Terms.of_new(**self._creation.terms) if campaign is None else campaign.terms
        telling.check_values(terms, files)
        self._has_repeats = terms.repeats > 1
        asks_items = any(log.asks_items for log in self._logs)
        self._n_items = 0 if campaign is None else campaign.standing.items
        self._has_items = asks_items if campaign is None else self._n_items > 0
        if asks_items and not self._has_items:
            rule = f"campaign {self._name!r} was created without items"
            fix = "leave it out, or import into a new campaign"
            raise InvalidInputError("--item-column", ", ".join(self._logs[0].columns.item), rule=rule, fix=fix)
        if any(log.asks_repeats for log in self._logs) and not (self._has_items and self._has_repeats):
            rule = f"campaign {self._name!r} asks no item several times"
            fix = "leave it out, or import into a new campaign with items and repeats"
            raise InvalidInputError("--repeat-column", self._logs[0].columns.repeat, rule=rule, fix=fix)
        if files.has_tickets:
            if campaign is None:
                raise UnknownCampaignError(self._name, ())
            self._check_ticket_options()
            return
        self._known_arms = arms = [] if campaign is None else telling.known_arms(campaign)
        self._new_arms = self._names_to_add(files.arms, arms)
        telling.check_arms([*arms, *self._new_arms], files)
        stored = self._stored_outcomes(campaign) if self._has_items else None
        if campaign is None:
            self._check_creation(terms)
        else:
            self._check_growth(campaign)
        log = ImportLog() if campaign is None else campaign.imports()
        plan = files.plan(terms, log, stored)
        self._before, self._missing, self._voided = len(files) - plan.told, plan.missing, plan.removed
        if stored is not None:
            self._check_left_out(log, stored)

    def _check_ticket_options(self) -> None:
        """Raise InvalidInputError if outcomes of tickets are to be compared with a source."""
        files = self._files
        if files.source or files.options != ImportOptions():
            raise InvalidInputError(
                "--source, --new-source or --replace",
                rule="must be left out for a file with tickets, each of which is told once",
                fix="correct a told outcome with thresher amend",
            )

    def _stored_outcomes(self, campaign: Campaign | None) -> dict[ItemKey, float]:
        """Find the items that are missing; return the outcomes that are there, by arm, item and ordinal."""
        count = next((log.columns.count for log in self._logs if log.columns.count), "")
        if count:
            rule = "must be left out in a campaign with items: a count has no item"
            fix = "import a line for each arm and item, or leave out --item-column in a new campaign"
            raise InvalidInputError("--count-column", count, rule=rule, fix=fix)
        items = None if campaign is None else campaign.items()
        known, stored = ((), {}) if items is None else (items.names, telling.stored_outcomes(items))
        self._new_items = self._names_to_add([one.item for one in self._files.every()], known)
        telling.check_items([*known, *self._new_items], self._files.every())
        return stored

    def _check_left_out(self, log: ImportLog, stored: Mapping[ItemKey, float]) -> None:
        """Raise InvalidOutcomeError if an outcome of an item that is left out was told before, and is not voided."""
        files = self._files
        kept = {(one.arm, one.item) for one in files.every()}
        sources = {files.source or some.source for some in files.outcomes} if files.options.replace else set[str]()
        kept |= {(arm, item) for (arm, item, _), one in log.told_items().items() if one.source in sources}
        there = {(arm, item) for arm, item, _ in stored}
        left_out = (one for some in files.left_out for one in some)
        again = [one for one in left_out if (one.arm, one.item) in there - kept]
        if again:
            raise InvalidOutcomeError(
                f"{len(again)} of the measurements to leave out were told before, the first in {again[0].place}",
                instead="add --replace to void them, or void their import first (thresher void --import); "
                "nothing was stored",
            )

    def _names_to_add(self, names: Iterable[str], known: Iterable[str]) -> list[str]:
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
        given: dict[str, Any] = {"items": self._new_items, "measured": self._measured}
        first_events(self._name, terms, rows, budget=self._creation.budget, **given)

    def _check_growth(self, campaign: Campaign) -> None:
        """Raise if the campaign has other terms, or cannot take the new arms and items."""
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

    def _check_bar(self, campaign: Campaign, given: float) -> None:
        """Raise if no arm has the bar that is given although there are no new arms."""
        bars = [] if campaign.terms.control else sorted({row.threshold for row in campaign.verdicts()})
        if not any(math.isclose(bar, given) for bar in bars):
            rule = f"must be {exact(bars[0])}" if len(bars) == 1 else "must be left out without new arms"
            where = f", as in the campaign {campaign.name!r}" if len(bars) == 1 else ""
            raise InvalidInputError("threshold", given, rule=rule + where, fix="leave it out, or name another campaign")

    def _shared_bar(self, campaign: Campaign) -> float | None:
        """Return the bar that all arms share; None with a control."""
        if campaign.terms.control:
            return None
        bar, *others = {row.threshold for row in campaign.verdicts()}
        if others:
            rule = "must be given for new arms: those of the campaign have different bars"
            raise InvalidInputError("threshold", rule=rule, fix="add --bar")
        return bar

    @property
    def _measured(self) -> dict[str, int]:
        """The number of outcomes of each arm in the files: the budget need not pay for them."""
        return self._files.measured

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
                measured=self._measured,
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
    """Return whether an address is that of a missing SQLite file, which a new campaign creates."""
    scheme, _, rest = address.partition(":///") if isinstance(address, str) else ("", "", "")
    return scheme == "sqlite" and not Path(rest.partition("?")[0]).exists()
