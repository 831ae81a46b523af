"""The campaign of a run: created, or found if an earlier run with that name created it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from thresher.campaign import Terms
from thresher.errors import MISSING, InvalidInputError, UnknownCampaignError
from thresher.live import Campaign
from thresher.live.backends import connect
from thresher.runner.arms import PlannedArm, numbers_of
from thresher.runner.measurement import Measured
from thresher.runner.spec import RunSpec
from thresher.storage import Storage, open_storage
from thresher.terms import OFFERED


class Enrolment:
    """Finds or creates the campaign of a run, and adds its arms.

    Parameters
    ----------
    spec : RunSpec
    arms : sequence of PlannedArm

    Attributes
    ----------
    campaign : Campaign or None
        None before the first arm is added: if time is the cost, an arm is added with its first outcome.

    Raises
    ------
    InvalidInputError
        If the existing campaign differs from the spec: other terms, other bars, or arms that the spec does not have.
    StorageError
        If the database cannot be used.
    """

    def __init__(self, spec: RunSpec, arms: Sequence[PlannedArm]) -> None:
        self._spec, self._arms = spec, {arm.name: arm for arm in arms}
        self._storage: Storage = open_storage(spec.db, create=True)
        self.campaign: Campaign | None = self._find()
        if self.campaign is not None:
            self._grow(self.campaign)
        elif not spec.cost:
            self.campaign = self._create(arms)

    def missing(self) -> list[PlannedArm]:
        """Return the arms that are not in the campaign yet."""
        known = set() if self.campaign is None else {row.arm for row in self.campaign.verdicts()}
        return [arm for arm in self._arms.values() if arm.name not in known]

    def admit(self, arm: PlannedArm, measured: Measured) -> Campaign:
        """Add an arm, with the duration of its first measurement as its cost; tell that outcome and pay for it."""
        numbers = self._numbers([arm]) | {"pull_costs": max(round(measured.seconds, 6), 1e-6)}
        if self.campaign is None:
            self.campaign = self._create([arm], **numbers)
        else:
            self.campaign.add_arms([arm.name], **numbers)
        value = measured.value
        # A run that is killed between these two steps leaves an arm without an outcome; the next run asks for it.
        key = hashlib.sha256(f"first {arm.name}".encode()).hexdigest()
        self.campaign.tell_counts(arm.name, n=1, total=value, squares=value * value, key=key)
        return self.campaign

    def close(self) -> None:
        """Close the database."""
        self._storage.close()

    def _find(self) -> Campaign | None:
        try:
            self._storage.find(self._spec.name)
        except UnknownCampaignError:
            return None
        backend = connect(self._storage, self._spec.name)
        campaign = Campaign(backend)
        self._check_terms(backend.terms)
        self._check_arms(campaign)
        return campaign

    def _create(self, arms: Sequence[PlannedArm], **numbers: Any) -> Campaign:
        spec = self._spec
        return Campaign.create(
            self._storage,
            spec.name,
            arms=[arm.name for arm in arms],
            budget=spec.budget,
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
        if not self._spec.cost and (new := self.missing()):
            campaign.add_arms([arm.name for arm in new], **self._numbers(new))
        more = self._spec.budget - campaign.budget
        if more > 0:
            campaign.extend(more, key=f"budget {self._spec.budget!r}")

    def _check_terms(self, terms: Terms) -> None:
        for key in (term.name for term in OFFERED if term.name != "lease" and not term.adjustable):
            if getattr(terms, key) != (wanted := getattr(self._spec, key)):
                self._refuse(key, wanted, f"must be {getattr(terms, key)}")

    def _check_arms(self, campaign: Campaign) -> None:
        for row in campaign.verdicts():
            arm = self._arms.get(row.arm)
            if arm is None:
                if not row.retired:
                    self._refuse(f"arm {row.arm!r}", MISSING, "must stay among the arms")
            elif not math.isclose(row.threshold, bar := arm.numbers.get("threshold", self._spec.bar)):
                self._refuse(f"bar of {row.arm!r}", bar, f"must be {row.threshold:g}")

    def _refuse(self, where: str, wanted: object, rule: str) -> None:
        rule = f"{rule}, as in the campaign {self._spec.name!r} in {self._spec.db}"
        raise InvalidInputError(where, wanted, rule=rule, fix="change it back, or give the run another name")
