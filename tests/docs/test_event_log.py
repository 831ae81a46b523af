"""The page of the event log lists every kind of event, as the code describes it."""

import inspect
from dataclasses import fields

from tests.support.checkout import CHECKOUT
from thresher.campaign.ledger.events import Event

PAGE = CHECKOUT / "docs" / "reference" / "event-log.md"


def row_of(kind: type[Event]) -> str:
    """Return the row of a kind of event: its name, its fields, and its docstring."""
    text = " ".join((inspect.getdoc(kind) or "").split())
    names = ", ".join(f"`{field.name}`" for field in fields(kind)) or "–"
    return f"| `{kind.kind}` | {names} | {text} |"


def test_every_kind_of_event_is_listed_with_its_fields() -> None:
    table = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert table == [row_of(kind) for kind in Event.__subclasses__()]
