"""Every event has its words."""

from typing import Any

import pytest

from thresher.campaign import Campaign, Entry
from thresher.campaign.ledger import events
from thresher.campaign.storage import MemoryStorage
from thresher.dashboard.sentences import _SENTENCES, ArmNames, named_arms, named_pulls, sentence


def test_the_log_of_a_whole_life_in_words() -> None:
    c = Campaign.create(MemoryStorage(), "c", arms=["a", "b"], threshold=0.5, budget=30, policy="lsa")
    first, second, third = c.ask(3)
    c.tell(first, 1)
    c.tell_many([(second, 0)])
    c.fail(third, reason="no power")
    c.void(first, reason="spilt")
    c.amend(first, 0, reason="read again")
    c.tell_counts("b", n=4, total=3)
    [ticket] = c.ask(1)
    c.heartbeat(ticket)
    c.add_arms(["d"], threshold=0.5)
    c.extend(12.5)
    c.pause()
    c.resume()
    c.retire("a")
    c.close()
    c.archive(reason="superseded")
    c.unarchive()
    entries = c.history()
    assert named_pulls(entries) == {1, 2, 3, 4, 5}
    assert named_arms(entries) == {0, 1}
    names = ArmNames({1: "a", 2: "b", 3: "a", 5: "a"}, {0: "a", 1: "b"})
    assert [sentence(entry, names) for entry in entries] == [
        "campaign created with a budget of 30",
        "2 arms added: a, b",
        "3 tickets issued: #1 a, #2 b, #3 a",
        "1 outcome recorded: #1 a = 1",
        "1 outcome recorded: #2 b = 0",
        "measurement #3 a failed: no power",
        "outcome #1 a voided: spilt",
        "outcome #1 a amended to 0: read again",
        "4 outcomes of b recorded with a sum of 3",
        "1 ticket issued: #5 a",
        "1 lease renewed",
        "1 arm added: d",
        "budget extended by 12.5",
        "paused",
        "resumed",
        "arm a retired",
        "closed",
        "archived: superseded",
        "unarchived",
    ]


def test_many_outcomes_are_cut_short_and_expired_leases_are_counted() -> None:
    told: dict[str, Any] = {"outcomes": [[n, 0.5] for n in range(1, 1001)]}
    found = sentence(_entry("told", told), ArmNames({1: "a"}))
    assert found.startswith("1,000 outcomes recorded: #1 a = 0.5, #2 = 0.5, ")
    assert found.endswith("#5 = 0.5, …")
    assert named_pulls([_entry("told", told)]) == {1, 2, 3, 4, 5}
    asked = {"pulls": [[1, "x", 0]], "lapsed": [7, 8]}
    assert sentence(_entry("asked", asked), ArmNames()) == "1 ticket issued after 2 leases expired: #1"


def _entry(kind: str, details: dict[str, Any]) -> Entry:
    return Entry(1, None, kind, details)  # type: ignore[arg-type]


@pytest.mark.parametrize("event", events.KINDS.values(), ids=lambda event: event.__name__)
def test_no_kind_is_without_a_sentence(event: Any) -> None:
    assert event.kind in _SENTENCES
