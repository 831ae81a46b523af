"""Events in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thresher.campaign import amount_of
from thresher.live import Entry
from thresher.report.svg import number


def sentence(entry: Entry) -> str:
    """Return what an event says, for people."""
    return _SENTENCES[entry.kind](entry.details)


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n:,} {what}s"


def _for_reason(details: dict[str, Any]) -> str:
    return f": {details['reason']}" if details.get("reason") else ""


def _asked(details: dict[str, Any]) -> str:
    lapsed = details.get("lapsed", [])
    gone = f"; {_count(len(lapsed), 'lease')} had run out" if lapsed else ""
    return f"{_count(len(details.get('pulls', [])), 'ticket')} handed out{gone}"


def _told(details: dict[str, Any]) -> str:
    outcomes = details["outcomes"]
    shown = ", ".join(f"#{n}: {number(value)}" for n, value in outcomes[:5])
    return f"{_count(len(outcomes), 'outcome')} told ({shown}{', …' if len(outcomes) > 5 else ''})"


def _counted(details: dict[str, Any]) -> str:
    return (
        f"{_count(details['count'], 'outcome')} of arm {details['arm'] + 1} told as a sum of {number(details['total'])}"
    )


_SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "created": lambda d: f"campaign created with a budget of {number(amount_of(d['budget']))}",
    "arms-added": lambda d: f"{_count(len(d['arms']), 'arm')} added",
    "asked": _asked,
    "told": _told,
    "counted": _counted,
    "failed": lambda d: f"pull #{d['number']} given up{_for_reason(d)}",
    "voided": lambda d: f"outcome #{d['number']} voided{_for_reason(d)}",
    "amended": lambda d: f"outcome #{d['number']} amended to {number(d['value'])}{_for_reason(d)}",
    "renewed": lambda d: f"{_count(len(d['numbers']), 'lease')} renewed",
    "retired": lambda d: f"arm {d['arm'] + 1} retired",
    "extended": lambda d: f"budget extended by {number(amount_of(d['amount']))}",
    "paused": lambda _: "paused",
    "resumed": lambda _: "resumed",
    "closed": lambda d: f"closed{_for_reason(d)}",
}
