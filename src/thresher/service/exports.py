"""A campaign as files: verdicts and outcomes as CSV, the log as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

from thresher.report import csv_lines
from thresher.service.campaign_registry import ServedCampaign

PAGE, PAGE_BYTES = 1000, 8_000_000  # rows and bytes in memory at a time
CSV = "text/csv; charset=utf-8"
OUTCOME_COLUMNS = ("number", "arm", "state", "size", "value", "late", "item", "repeat")


class Export(StrEnum):
    """The exports of a campaign."""

    verdicts = "verdicts.csv"
    outcomes = "outcomes.csv"
    log = "log.jsonl"


def _verdicts(served: ServedCampaign) -> Iterator[str]:
    rows = served.verdicts()[1].to_dicts()
    return csv_lines(list(rows[0]), rows)


def _outcomes(served: ServedCampaign) -> Iterator[dict[str, Any]]:
    names: list[str] = []
    last = 0
    while pulls := served.pulls(after=last, limit=PAGE):
        if max(pull.arm for pull in pulls) >= len(names):
            names += served.arm_names(first=len(names))  # read after the pulls, so it contains all their arms
        for pull in pulls:
            item = None if pull.item is None else served.backend.stored.names_of_items([pull.item])[pull.item]
            yield pull._asdict() | {
                "arm": names[pull.arm],
                "late": bool(pull.late),
                "item": item,
                "repeat": None if item is None else pull.repeat,
            }
        last = pulls[-1].number


def _log(served: ServedCampaign) -> Iterator[str]:
    last = 0
    while entries := served.backend.history(after=last, limit=PAGE, size=PAGE_BYTES):
        yield "".join(json.dumps(entry.to_dict()) + "\n" for entry in entries)
        last = entries[-1].seq


EXPORTS: dict[Export, tuple[str, Callable[[ServedCampaign], Iterator[str]]]] = {
    Export.verdicts: (CSV, _verdicts),
    Export.outcomes: (CSV, lambda served: csv_lines(OUTCOME_COLUMNS, _outcomes(served))),
    Export.log: ("application/jsonl", _log),
}
