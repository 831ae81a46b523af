"""What a service concludes of a campaign: verdicts, the difficulty of items, and how good its scores are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from thresher.campaign.items import ItemRow, Items
from thresher.campaign.judge_agreement import agreement_in
from thresher.campaign.ledger import Terms
from thresher.campaign.service_client import ServiceClient, path_of
from thresher.campaign.verdicts import ControlStatistics, Spending, Verdict, Verdicts, said_under
from thresher.inference import Agreement
from thresher.policy import Offer

NUMBERS = ("low", "high", "p_wrong", "price", "threshold", "valid_low", "valid_high")  # of a row; NaN is sent as null


class ServiceJudging:
    """The conclusions from one campaign behind a service."""

    def __init__(self, client: ServiceClient, name: str, terms: Terms) -> None:
        self._client, self._terms = client, terms
        self._verdicts, self._items, self._judge, self._offers = (
            path_of(name, what) for what in ("verdicts", "items", "judge", "offer")
        )

    def verdicts(self, **given: Any) -> Verdicts:
        """Return one row for each arm."""
        terms = self._terms
        if any(value is not None for value in given.values()):
            terms = terms.adjusted(**{key: value for key, value in given.items() if key != "bar"})
        pages = list(self._client.pages(self._verdicts, "verdicts", **given | {"unit": None}))
        rows = [_verdict_of(row) for page in pages for row in page["verdicts"]]
        expected = pages[-1]["expected_mistakes"]
        return Verdicts(
            rows,
            expected_mistakes=float("nan") if expected is None else expected,
            notes=pages[-1]["notes"],
            said=said_under(terms, self._terms.goal, level=pages[-1].get("level")),
            control=_control_in(pages[-1]),
            spending=_spending_in(pages[-1]),
            offer=lambda: self._offer(risk=given.get("risk"), guarantee=given.get("guarantee")),
        )

    def _offer(self, **given: Any) -> Offer | None:
        found = self._client.call("GET", self._offers, **given)
        return None if found["measurements"] is None else Offer(**found)

    def items(self) -> Items:
        """Return what is known of each item, and the outcomes of all arms on it."""
        pages = list(self._client.pages(self._items, "items", size=1000))
        rows = [_item_row(row) for page in pages for row in page["items"]]
        return Items.from_rows(pages[-1]["arms"], rows, pages[-1]["share"])

    def judge_agreement(self) -> Agreement:
        """Return how well the scores of answers agree with the outcomes."""
        return agreement_in(self._client.call("GET", self._judge))


def _verdict_of(row: Mapping[str, Any]) -> Verdict:
    """Return the verdict in a response; null is NaN, which JSON does not have."""
    return Verdict(**_known(row, [field.name for field in fields(Verdict)], NUMBERS))


def _control_in(page: Mapping[str, Any]) -> ControlStatistics | None:
    """Return the statistics of the control in a response; None if the campaign has none."""
    row = page.get("control")
    return (
        ControlStatistics(**_known(row, [field.name for field in fields(ControlStatistics)], ("low", "high")))
        if row
        else None
    )


def _spending_in(page: Mapping[str, Any]) -> Spending | None:
    """Return the spending in a response; None from an older service."""
    row = page.get("spending")
    return Spending(**{each.name: row[each.name] for each in fields(Spending) if each.name in row}) if row else None


def _known(row: Mapping[str, Any], fields: Sequence[str], numbers: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a row that this version has, NaN for numbers that are null."""
    known = {name: row[name] for name in fields if name in row}
    return known | {name: math.nan for name in numbers if known.get(name) is None}


def _item_row(row: Mapping[str, Any]) -> ItemRow:
    """Return an item of a response; a service of an earlier version sends no repeats."""
    repeated = tuple(tuple(values) for values in row.get("repeated") or ())
    return ItemRow(**{**row, "outcomes": tuple(row["outcomes"]), "repeated": repeated})
