"""How well the scores of a campaign agree with its outcomes, as a JSON document of every surface."""

from __future__ import annotations

import math
from typing import Any

from thresher.inference import Agreement, ArmAgreement
from thresher.report import judge_sentences, judge_warnings


def judge_document(found: Agreement) -> dict[str, Any]:
    """Return the fields by name, with the sentences and warnings; None for a number that is not known."""
    fields = {key: _plain(value) for key, value in found._asdict().items() if key != "arms"}
    arms = [{key: _plain(value) for key, value in arm._asdict().items()} for arm in found.arms]
    return fields | {"arms": arms, "sentences": judge_sentences(found), "warnings": judge_warnings(found)}


def agreement_in(document: dict[str, Any]) -> Agreement:
    """Return the agreement of a JSON document."""
    fields = {key: _number(document[key]) for key in Agreement._fields if key != "arms"}
    arms = (ArmAgreement(*(_number(row.get(key)) for key in ArmAgreement._fields)) for row in document["arms"])
    return Agreement(**fields, arms=tuple(arms))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _number(value: Any) -> Any:
    return math.nan if value is None else value
