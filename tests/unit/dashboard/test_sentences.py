"""Every event has its words."""

from typing import Any, get_args

import pytest

from thresher.campaign import events
from thresher.dashboard.sentences import _SENTENCES, sentence
from thresher.live import Campaign, Entry
from thresher.storage import MemoryStorage


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
    assert [sentence(entry) for entry in c.history()] == [
        "campaign created with a budget of 30",
        "2 arms added",
        "3 tickets handed out",
        "1 outcome told (#1: 1)",
        "1 outcome told (#2: 0)",
        "pull #3 given up: no power",
        "outcome #1 voided: spilt",
        "outcome #1 amended to 0: read again",
        "4 outcomes of arm 2 told as a sum of 3",
        "1 ticket handed out",
        "1 lease renewed",
        "1 arm added",
        "budget extended by 12.5",
        "paused",
        "resumed",
        "arm 1 retired",
        "closed",
    ]


def test_many_outcomes_are_cut_short_and_lapsed_leases_are_said() -> None:
    told: dict[str, Any] = {"outcomes": [[n, 0.5] for n in range(1, 1001)]}
    assert sentence(_entry("told", told)).startswith("1,000 outcomes told (#1: 0.5, ")
    assert sentence(_entry("told", told)).endswith("#5: 0.5, …)")
    asked = {"pulls": [[1, "x", 0]], "lapsed": [7, 8]}
    assert sentence(_entry("asked", asked)) == "1 ticket handed out; 2 leases had run out"


def _entry(kind: str, details: dict[str, Any]) -> Entry:
    return Entry(1, None, kind, details)  # type: ignore[arg-type]


@pytest.mark.parametrize("event", get_args(events.Event), ids=lambda event: event.__name__)
def test_no_kind_is_without_a_sentence(event: Any) -> None:
    assert event.kind in _SENTENCES
