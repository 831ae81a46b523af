"""Events in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.campaign import Entry
from thresher.problem import amount_of
from thresher.report import amount, counted, exact

SHOWN = 5  # tickets or outcomes of one event


@dataclass(frozen=True)
class ArmNames:
    """Names of arms: by the number of a pull, and by the position of the arm."""

    of_pull: Mapping[int, str] = field(default_factory=dict)
    at: Mapping[int, str] = field(default_factory=dict)

    def pull(self, n: int) -> str:
        """Return a pull by its number and its arm."""
        return f"#{n} {self.of_pull[n]}" if n in self.of_pull else f"#{n}"

    def arm(self, position: int) -> str:
        """Return the name of an arm; if it is unknown, its position."""
        return self.at.get(position, f"arm {position + 1}")


def sentence(entry: Entry, names: ArmNames) -> str:
    """Return an event in words, with the names of the arms."""
    return _SENTENCES[entry.kind](entry.details, names)


def named_pulls(entries: Iterable[Entry]) -> set[int]:
    """Return the numbers of the pulls whose arms the sentences of these events name."""
    return {n for entry in entries for n in _pulls_in(entry.details)}


def named_arms(entries: Iterable[Entry]) -> set[int]:
    """Return the positions of the arms that the sentences of these events name."""
    return {entry.details["arm"] for entry in entries if "arm" in entry.details}


def _pulls_in(details: dict[str, Any]) -> list[int]:
    if "number" in details:
        return [details["number"]]
    rows = details.get("pulls") or details.get("outcomes") or []
    return [row[0] for row in rows[:SHOWN]] if isinstance(rows, list | tuple) else []


def _listed(texts: list[str], total: int) -> str:
    return f": {', '.join(texts)}{', …' if total > len(texts) else ''}" if texts else ""


def _for_reason(details: dict[str, Any]) -> str:
    return f": {details['reason']}" if details.get("reason") else ""


def _asked(details: dict[str, Any], names: ArmNames) -> str:
    pulls, expired = details.get("pulls", []), details.get("lapsed", [])
    issued = f"{counted(len(pulls), 'ticket')} issued"
    after = f" after {counted(len(expired), 'lease')} expired" if expired else ""
    return issued + after + _listed([names.pull(pull[0]) for pull in pulls[:SHOWN]], len(pulls))


def _told(details: dict[str, Any], names: ArmNames) -> str:
    outcomes = details["outcomes"]
    shown = [f"{names.pull(n)} = {exact(value)}" for n, value in outcomes[:SHOWN]]
    return f"{counted(len(outcomes), 'outcome')} recorded{_listed(shown, len(outcomes))}"


def _counted(details: dict[str, Any], names: ArmNames) -> str:
    outcomes = counted(details["count"], "outcome")
    return f"{outcomes} of {names.arm(details['arm'])} recorded with a sum of {exact(details['total'])}"


def _imported(details: dict[str, Any], _: ArmNames) -> str:
    told = counted(sum(pull[2] for pull in details["pulls"]) + len(details.get("outcomes", ())), "outcome")
    sources = ", ".join(source[0] for source in details["sources"][:SHOWN])
    has_voided = details.get("voided") or details.get("reduced")
    return f"{told} imported from {sources}" + ("; lines of earlier versions voided" if has_voided else "")


def _voided(details: dict[str, Any], names: ArmNames) -> str:
    others = details.get("others", ())
    more = f" and {len(others)} others of its arm" if others else ""
    return f"outcome {names.pull(details['number'])}{more} voided{_for_reason(details)}"


def _extended(details: dict[str, Any], _: ArmNames) -> str:
    used = details.get("used", ())
    late = f"; {counted(len(used), 'late outcome')} used" if used else ""
    return f"budget extended by {amount(amount_of(details['amount']))}{late}"


_SENTENCES: dict[str, Callable[[dict[str, Any], ArmNames], str]] = {
    "created": lambda d, _: f"campaign created with a budget of {amount(amount_of(d['budget']))}",
    "arms-added": lambda d, _: (
        counted(len(d["arms"]), "arm") + " added" + _listed([row[0] for row in d["arms"][:SHOWN]], len(d["arms"]))
    ),
    "items-added": lambda d, _: f"{counted(len(d['names']), 'item')} added",
    "asked": _asked,
    "told": _told,
    "counted": _counted,
    "imported": _imported,
    "items-told": lambda d, _: f"{counted(len(d['outcomes']), 'outcome')} of items recorded without tickets",
    "history-told": lambda d, _: f"outcomes of {counted(len(d['arms']), 'past arm')} recorded",
    "proxy-told": lambda d, _: f"{counted(sum(len(row[1]) for row in d['scores']), 'score')} of answers recorded",
    "refitted": lambda d, _: f"effects of items fitted to {counted(d['outcomes'], 'outcome')}",
    "failed": lambda d, names: f"measurement {names.pull(d['number'])} failed{_for_reason(d)}",
    "voided": _voided,
    "amended": lambda d, names: f"outcome {names.pull(d['number'])} amended to {exact(d['value'])}{_for_reason(d)}",
    "renewed": lambda d, _: f"{counted(len(d['numbers']), 'lease')} renewed",
    "retired": lambda d, names: f"arm {names.arm(d['arm'])} retired",
    "extended": _extended,
    "paused": lambda _, __: "paused",
    "resumed": lambda _, __: "resumed",
    "closed": lambda d, _: f"closed{_for_reason(d)}",
    "archived": lambda d, _: f"archived{_for_reason(d)}",
    "unarchived": lambda _, __: "unarchived",
    "measured-by": lambda d, _: f"measured by another {' and '.join(name for name, _ in d['parts'])}",
}
