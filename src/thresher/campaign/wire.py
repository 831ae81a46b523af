"""Errors and rows as a service sends them to the HTTP client."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from thresher import errors
from thresher.campaign.verdicts import ControlStatistics, Spending, Verdict

FACTS = ("ticket", "stored", "told", "state", "cost", "left", "known", "kind")  # attributes of errors
NUMBERS = ("low", "high", "p_wrong", "price", "threshold", "valid_low", "valid_high")  # of a row; NaN is sent as null
INPUT_FACTS = {"where": "field", "value": "value", "rule": "rule", "fix": "fix"}  # of InvalidInputError, by attribute


def type_of(error: str) -> str:
    """Return the type of a problem document: ``urn:thresher:unknown-campaign`` for ``UnknownCampaignError``."""
    words = re.findall("[A-Z][a-z]*", error.removesuffix("Error"))
    return f"urn:thresher:{'-'.join(words).lower()}" if words else "about:blank"


ERRORS: dict[str, type[errors.ThresherError]] = {type_of(name): getattr(errors, name) for name in errors.__all__}


def error_of(status: int, document: Mapping[str, Any]) -> errors.ThresherError:
    """Return the error that a problem document describes: of the same class, with the same message and facts."""
    detail = str(document.get("detail", f"the service answered with status {status}"))
    error_class = ERRORS.get(str(document.get("type")))
    if error_class is None:
        if not 400 <= status < 500 or status in (401, 403, 404, 429):
            return _by_status(status, detail.rstrip("."))
        error_class = errors.InvalidInputError
    error = error_class.__new__(error_class)
    Exception.__init__(error, detail)
    vars(error).update({fact: document[fact] for fact in FACTS if fact in document})
    if isinstance(error, errors.InvalidInputError):
        vars(error).update({name: str(document.get(member, "")) for name, member in INPUT_FACTS.items()})
    return error


def _by_status(status: int, detail: str) -> errors.ThresherError:
    if status in (401, 403):
        return errors.AccessDeniedError(detail, instead="give a token that may do this: thresher token new")
    if status in (429, 502, 503, 504):
        return errors.StorageUnavailableError(detail, instead="try again later")
    return errors.StorageError(detail, instead="check the address of the service")


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    """Return the verdict in a response; null is NaN, which JSON does not have."""
    return Verdict(**_known(row, [field.name for field in fields(Verdict)], NUMBERS))


def control_in(page: Mapping[str, Any]) -> ControlStatistics | None:
    """Return the statistics of the control in a response; None if the campaign has none."""
    row = page.get("control")
    return (
        ControlStatistics(**_known(row, [field.name for field in fields(ControlStatistics)], ("low", "high")))
        if row
        else None
    )


def spending_in(page: Mapping[str, Any]) -> Spending | None:
    """Return the spending in a response; None from an older service."""
    row = page.get("spending")
    return Spending(**{each.name: row[each.name] for each in fields(Spending) if each.name in row}) if row else None


def _known(row: Mapping[str, Any], fields: Sequence[str], numbers: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a row that this version has, NaN for numbers that are null."""
    known = {name: row[name] for name in fields if name in row}
    return known | {name: math.nan for name in numbers if known.get(name) is None}
