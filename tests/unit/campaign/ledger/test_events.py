"""Events as they are written down, and their seals."""

import hashlib

import pytest

from thresher.campaign.ledger import events as e
from thresher.errors import StorageError

EVENTS: list[e.Event] = [
    e.Created("c", "{}", 7),
    e.ArmsAdded((("a", 0.5, 0.5, 1.0, 1_000_000), ("b", 0.1, 0.5, 1.0, 5))),
    e.Asked(((1, "1-aa", 0), (2, "2-bb", 3)), (7, 9), "key"),
    e.Asked((), (7,)),
    e.Asked(((3, "3-cc", 0, 11),)),
    e.Created("c", "{}", 7, 12345),
    e.ItemsAdded(("q1", "q2")),
    e.ItemsTold(4, "dd", ((0, 1, 1.0), (1, 0, 0.0)), True),
    e.Refitted(90, 140, 0.75, 0.5),
    e.Told(((1, 0.1), (2, 1e300))),
    e.Told(((1, 0.1),), "import"),
    e.CountsTold(3, "3-cc", 0, 10, 4.0, 2.5, False, "key"),
    e.SourcesImported(4, "dd", (("a.csv", "lines", ()),), ((0, 3, 1, 1.0, 0.5, ((1.0, 1, "aGFzaA=="),)),), "import"),
    e.SourcesImported(4, "dd", (("a.csv", "items", ()),), (), "import", outcomes=((0, 1, 2, 0.5),)),
    e.SourcesImported(4, "dd", (), (), "import", True, "key", (3,), ((2, 1, 0.0, 0.0, ((1.0, 1, "aGFzaA=="),)),)),
    e.HistoryTold((("last month", (1.0, None, 0.0)),)),
    e.ProxyTold(((0, (0, 2), (0.9, -3.5)),)),
    e.Failed(1, "why"),
    e.CountsTold(3, "3-cc", 0, 10, 4.0, 2.5, False, "key", "import"),
    e.Voided(1, ""),
    e.Voided(1, "", (2, 3)),
    e.Amended(1, 0.5, "why"),
    e.Renewed((1, 2)),
    e.Retired(4),
    e.Extended(10, "key"),
    e.Extended(10, None, ((3, 0.5),)),
    e.Paused(),
    e.Resumed(),
    e.Closed("enough"),
    e.Archived("superseded"),
    e.Unarchived(),
    e.MeasuredBy((("command", "9f86d081"), ("outcome", "exit"))),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_what_is_written_is_read_again(event: e.Event) -> None:
    assert e.read_event(event.kind, event.body()) == event


def test_every_kind_is_tried_here() -> None:
    assert {event.kind for event in EVENTS} == set(e.KINDS)


def test_a_body_is_short_and_exact() -> None:
    assert e.Asked(((1, "1-aa", 0),)).body() == '{"pulls":[[1,"1-aa",0]]}'
    assert e.Voided(1, "").body() == '{"number":1,"reason":""}'
    assert e.Extended(10).body() == '{"amount":10}'
    assert e.Told(((1, 0.1),)).body() == '{"outcomes":[[1,0.1]]}'


def test_the_seal_covers_everything_and_the_time_of_the_event_before() -> None:
    expected = hashlib.sha256(b"00\n5\n2\ntold\n{}").hexdigest()
    assert e.seal("00", 5, 2, "told", "{}") == expected
    others = [("01", 5, 2, "told", "{}"), ("00", 6, 2, "told", "{}"), ("00", 5, 3, "told", "{}")]
    others += [("00", 5, 2, "sold", "{}"), ("00", 5, 2, "told", "{ }")]
    assert len({e.seal(*facts) for facts in others} | {expected}) == 6


@pytest.mark.parametrize(
    ("kind", "body"), [("told", "{"), ("sold", "{}"), ("told", "{}"), ("told", "[]"), ("told", '{"x":1}')]
)
def test_an_event_that_says_nothing_known_is_an_error(kind: str, body: str) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        e.read_event(kind, body)
