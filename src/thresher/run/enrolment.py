"""The campaign of a run: created, or found if an earlier run with that name created it."""

from __future__ import annotations

import ast
import hashlib
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.campaign import Campaign, LocalBackend, SimilarNamesWarning, look_alike, similar_note
from thresher.campaign.ledger import Terms, known_of
from thresher.campaign.storage import Storage, hide_password, open_storage
from thresher.errors import MISSING, InvalidInputError, UnknownCampaignError
from thresher.problem import SMALLEST_COST
from thresher.report import amount, counted, exact
from thresher.run.arms import PlannedArm, numbers_of
from thresher.run.owner import PREFIX, owner_in
from thresher.run.shared_questions import matrix_note
from thresher.run.spec import RunSpec
from thresher.terms import OFFERED
from thresher.types import Floats

MEAN_DURATION = ("gaussian-unknown-variance", 0.0)  # family and quantile of durations in versions before 0.3


class Enrolment:
    """Finds or creates the campaign of a run, and adds its arms.

    Raise InvalidInputError if the campaign has other terms, other bars, or arms or items that the spec does not have.
    """

    def __init__(self, spec: RunSpec, arms: Sequence[PlannedArm], *, fresh: bool = False, same: bool = False) -> None:
        self._spec, self._arms = spec, {arm.name: arm for arm in arms}
        self._items, self._new_items = spec.planned_items(), list[str]()
        self.cut_to: float | None = None  # what the budget was reduced to: the cost of all items
        self.notes: list[str] = []  # what the run adds to an existing campaign, or does not change in it
        self.taken_back = 0  # tickets of killed runs on this machine, whose cost is free again at once
        self._parts, self._same, self._is_noted = fingerprint(spec), same, False
        self._storage: Storage = open_storage(spec.db, create=True)
        self._name = self._newest(fresh=fresh)
        # None until the first arm is added: if its cost is known only then, an arm is added with its first outcome.
        self.campaign: Campaign | None = self._find()
        if self.campaign is not None:
            self._grow(self.campaign)
        elif priced := self._priced(arms):
            self.campaign = self._create(priced)
        if note := matrix_note(spec.matrix):
            self.notes.append(note)

    def missing(self) -> list[PlannedArm]:
        """Return the arms that are not in the campaign yet."""
        known = set() if self.campaign is None else {row.arm for row in self.campaign.verdicts()} | {self._spec.control}
        return [arm for arm in self._arms.values() if arm.name not in known]

    def _priced(self, arms: Sequence[PlannedArm]) -> list[PlannedArm]:
        """Return the arms whose pull cost is known before the first measurement."""
        return [arm for arm in arms if not self._spec.cost or "pull_cost" in arm.numbers]

    def admit(self, arm: PlannedArm, value: float, cost: float) -> Campaign:
        """Add an arm with the outcome and the cost of its first measurement, and pay for it."""
        numbers = self._numbers([arm]) | {"pull_costs": max(round(cost, 6), SMALLEST_COST)}
        if self.campaign is None:
            self.campaign = self._create([arm], **numbers)
        else:
            self.campaign.add_arms([arm.name], **numbers)
        self.note_measurement()
        # A run that is killed between these two steps leaves an arm without an outcome; the next run asks for it.
        key = hashlib.sha256(f"first {arm.name}".encode()).hexdigest()
        self.campaign.tell_counts(arm.name, n=1, total=value, squares=value * value, key=key)
        return self.campaign

    def scores(self) -> tuple[Floats, list[str], list[str]]:
        """Return the stored scores of answers, shape (K, N), NaN where there is none, with names of arms and items."""
        stored = LocalBackend(self._storage, self._storage.find(self._name)).stored
        with stored.snapshot() as now:
            ledger, arms, signals = now.ledger(), now.arms(), now.signals()
        proxy = known_of(signals, ledger.arms, ledger.items).proxy
        table = np.full((ledger.arms, ledger.items), np.nan) if proxy is None else proxy
        kept = [arm.position for arm in arms if not arm.retired]
        return table[kept], [arms[k].name for k in kept], stored.names_of_items()

    def close(self) -> None:
        """Close the database."""
        self._storage.close()

    def _newest(self, *, fresh: bool) -> str:
        """Return the name of the campaign: that of the spec, or ``name (2)``, ``name (3)``, … after fresh starts."""
        known, name, n = {heading.name for heading in self._storage.headings()}, self._spec.name, 1
        while (following := f"{self._spec.name} ({n + 1})") in known:
            name, n = following, n + 1
        return following if fresh and name in known else name

    def _find(self) -> Campaign | None:
        try:
            backend = LocalBackend(self._storage, self._storage.find(self._name))
        except UnknownCampaignError:
            return None
        campaign = Campaign(backend)
        self._check_terms(backend.terms)
        self._check_arms(campaign)
        self._check_items(backend.stored.names_of_items())
        self._check_measurement(backend)
        self._take_back(backend)
        return campaign

    def _take_back(self, backend: LocalBackend) -> None:
        """Give up the tickets of runs that were killed, rather than wait until their leases expire."""
        for key, ticket in backend.stored.outstanding_asks(PREFIX):
            owner = owner_in(key)
            if owner is not None and owner.has_ended():
                backend.fail(ticket, reason="its run was killed")
                self.taken_back += 1

    def note_measurement(self) -> None:
        """Note the measurement of the run, before its first outcome is told: one that gave no outcome can be corrected.

        Raise InvalidInputError if another run has told outcomes of another measurement in the meantime.
        """
        if not self._is_noted:
            backend = LocalBackend(self._storage, self._storage.find(self._name))
            self._check_measurement(backend)
            backend.measure_by(self._parts)
            self._is_noted = True

    def _check_measurement(self, backend: LocalBackend) -> None:
        """Check that the outcomes so far were measured by the same command, function or endpoint."""
        ledger = backend.look_least().ledger
        if self._same or not (ledger.told or ledger.late):
            return
        before = backend.stored.measured_by(self._parts)
        if before and (parts := changed_parts(before[-1], self._parts)):
            changed = ", ".join(parts)
            rule = f"must be as in the earlier runs of the campaign {self._name!r}: outcomes would be mixed"
            fix = (
                "add --fresh to measure by it in a new campaign, or --same-measurement if it measures the same, "
                "or change it back"
            )
            raise InvalidInputError("measurement", changed, rule=rule, fix=fix)

    def _create(self, arms: Sequence[PlannedArm], **numbers: Any) -> Campaign:
        spec, names = self._spec, [arm.name for arm in arms]
        if alike := similar_note(look_alike(names)):
            self.notes.append(alike)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimilarNamesWarning)  # it is among the notes
            return Campaign.create(
                self._storage,
                self._name,
                arms=names,
                items=self._items or None,
                budget=self._budget(),
                **spec.planned_signals(),
                **{term.name: getattr(spec, term.name) for term in OFFERED},
                **(numbers or self._numbers(arms)),
            )

    def _numbers(self, arms: Sequence[PlannedArm]) -> dict[str, Any]:
        return {
            "threshold": numbers_of(arms, "threshold", self._spec.bar),
            "sigma": numbers_of(arms, "sigma", self._spec.sigma),
            "costs": numbers_of(arms, "cost", 1.0),
            "pull_costs": numbers_of(arms, "pull_cost", 1.0),
        }

    def _grow(self, campaign: Campaign) -> None:
        """Add the items, the budget and the arms, whose first measurements it pays, that the campaign does not have."""
        if items := self._new_items:
            campaign.add_items(items)
            whole = counted(len(self._items), "item")
            self.notes.append(f"added {counted(len(items), 'item')}: the question is now about {whole}")
        budget = self._budget()
        more = budget - campaign.budget
        if more > 0:
            campaign.extend(more, key=f"budget {budget!r}")
        elif self._spec.budget < campaign.budget:
            has = f"the campaign has a budget of {amount(campaign.budget)}"
            self.notes.append(f"{has}, which a run does not reduce to {amount(self._spec.budget)}")
        if new := self._priced(self.missing()):
            campaign.add_arms([arm.name for arm in new], **self._numbers(new))
            self.notes.append(f"added {counted(len(new), 'arm')}: there are now {campaign.standing.arms:,}")

    def _budget(self) -> float:
        """Return the budget, at most the cost of all answers: every arm on every item, with all repeats."""
        budget = self._spec.budget
        if not self._items:
            return budget
        whole = (
            len(self._items)
            * self._spec.repeats
            * sum(arm.numbers.get("pull_cost", 1.0) for arm in self._arms.values())
        )
        self.cut_to = whole if whole < budget else None
        return min(budget, whole)

    def _check_items(self, known: Sequence[str]) -> None:
        """Refuse a spec without the items that are there."""
        if bool(known) != bool(self._items):
            self._refuse("number of items", len(self._items), f"must be {len(known)}")
        if missing := set(known) - set(self._items):
            self._refuse(f"item {min(missing)!r}", MISSING, "must stay among the items")
        there = set(known)
        self._new_items = [name for name in self._items if name not in there]

    def _check_terms(self, terms: Terms) -> None:
        fixed = [term.name for term in OFFERED if term.name != "lease" and not term.adjustable]
        if self._spec.is_median_by_default and (terms.family, terms.quantile) == MEAN_DURATION:
            fixed = [name for name in fixed if name not in ("family", "quantile")]
            self.notes.append("the campaign goes on comparing the mean duration; add --fresh to compare the median")
        for key in fixed:
            if getattr(terms, key) != (wanted := getattr(self._spec, key)):
                self._refuse(key, wanted, f"must be {getattr(terms, key)}")

    def _check_arms(self, campaign: Campaign) -> None:
        for row in campaign.verdicts():
            arm = self._arms.get(row.arm)
            if arm is None:
                if not row.retired:
                    self._refuse(f"arm {row.arm!r}", MISSING, "must stay among the arms")
                continue
            bar = arm.numbers.get("threshold", self._spec.bar)  # None with a control
            if bar is not None and not math.isclose(row.threshold, bar):
                self._refuse(f"bar of {row.arm!r}", bar, f"must be {exact(row.threshold)}")

    def _refuse(self, where: str, wanted: object, rule: str) -> None:
        rule = f"{rule}, as in the campaign {self._name!r} in {hide_password(self._spec.db)}"
        raise InvalidInputError(
            where, wanted, rule=rule, fix="change it back, give the run another name, or add --fresh"
        )


def fingerprint(spec: RunSpec) -> list[tuple[str, str]]:
    """Return (part, hash) of everything that decides what is measured; hashes, because a command may hold a secret."""
    named = {} if spec.kind == "promptfoo" else {spec.kind: getattr(spec, spec.kind)}  # a file may be moved
    parts = named | {"outcome": spec.outcome, "timeout outcome": spec.timeout_outcome}
    hashes = [(name, _digest(repr(value))) for name, value in parts.items() if value not in ("", None)]
    if spec.kind == "function" and (source := _source(spec)) is not None:
        hashes.append(("source of the function", _digest(source)))
    return hashes + (list(spec.suite.hashes) if spec.kind == "promptfoo" else [])


def changed_parts(before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> list[str]:
    """Return the parts of a measurement that differ; an arm that only one of them has is not a difference."""
    old, new = dict(before), dict(now)
    names = {part for part, _ in {*before} ^ {*now}}
    return sorted(name for name in names if not name.startswith("arm ") or (name in old and name in new))


def _source(spec: RunSpec) -> str | None:
    """Return the module of a function without comments and layout; None if its file is not in the folder of the run."""
    module = spec.function.partition(":")[0].replace(".", "/")
    paths = (spec.folder / f"{module}.py", spec.folder / module / "__init__.py")
    path = next(filter(Path.is_file, paths), None)
    if path is None:
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError):
        return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
