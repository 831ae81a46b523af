"""The fold of a log, and what it finds."""

from collections.abc import Callable

import pytest

from thresher.campaign.ledger import GENESIS, CampaignState, Event, LogEntry, Terms, differences, replay, seal
from thresher.campaign.ledger import events as e
from thresher.errors import CorruptionError

UNIT = 1_000_000
TERMS = Terms(family="bernoulli", policy="lsa").to_json()


def log_of(*events: Event) -> list[LogEntry]:
    log, last, at = [], GENESIS, 0
    for seq, event in enumerate(events, start=1):
        last = seal(last, at, seq, event.kind, event.body())
        at = 1000 * seq
        log.append(LogEntry(seq, event.kind, event.body(), at, last))
    return log


LOG = log_of(
    e.Created("c", TERMS, 5 * UNIT),
    e.ArmsAdded((("a", 0.5, 0.5, 1.0, UNIT),)),
    e.Asked(((1, "1-s", 0), (2, "2-s", 0)), key="k"),
    e.Told(((1, 1.0),)),
)


def test_a_log_adds_up() -> None:
    told = replay("c", LOG)
    assert (told.state.ledger.spent, told.state.ledger.reserved, told.state.ledger.seq) == (UNIT, UNIT, 4)
    assert told.state.ledger.hash == LOG[-1].hash
    assert (told.state.arms[0].pulls, told.state.arms[0].outstanding) == (1, 1)
    assert told.state.pulls[2].expires == 3000 + 600_000_000  # the lease runs from event 3
    assert told.created == e.Created("c", TERMS, 5 * UNIT)


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (lambda log: log[:1] + log[2:], "event 2 is missing"),
        (lambda log: [*log[:3], log[3]._replace(body='{"outcomes":[[1,0.0]]}')], "event 4 does not match its hash"),
        (lambda log: [*log[:2], log[2]._replace(at=1), log[3]], "event 4 does not match its hash"),
        (lambda log: [*log[:3], log[3]._replace(kind="asked")], "event 4 does not match its hash"),
        (lambda log: log_of(e.Paused()), "does not create"),
        (lambda log: log_of(e.Created("c", TERMS, 5), e.Told(((1, 1.0),))), "event 2 .* cannot be applied"),
        (lambda log: log_of(e.Created("c", "{}", 5)), "terms"),
    ],
)  # fmt: skip
def test_a_log_that_was_changed_is_found_out(damage: Callable[[list[LogEntry]], list[LogEntry]], finding: str) -> None:
    with pytest.raises(Exception, match=finding) as found:
        replay("c", damage(LOG))
    assert finding == "terms" or isinstance(found.value, CorruptionError)


def changed(change: Callable[[CampaignState], None]) -> list[str]:
    stored = replay("c", LOG).state
    change(stored)
    rows = (stored.arms.values(), stored.pulls.values(), stored.requests.values())
    return list(differences(replay("c", LOG).state, stored.ledger, *rows))


def test_rows_that_were_not_changed_are_no_finding() -> None:
    assert changed(lambda state: None) == []
    other_logarithm = 1.0 + 1e-15
    assert changed(lambda s: s.arms.update({0: s.arms[0]._replace(urgency=s.arms[0].urgency * other_logarithm)})) == []


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda s: setattr(s, "ledger", s.ledger._replace(spent=0)), "the ledger differs from the log in spent"),
        (lambda s: s.arms.update({0: s.arms[0]._replace(total=0.5)}), "arm 0 differs from the log in total"),
        (lambda s: s.arms.update({0: s.arms[0]._replace(urgency=7.0)}), "arm 0 differs from the log in urgency"),
        (lambda s: s.arms.update({0: s.arms[0]._replace(urgency="x")}), "arm 0 differs from the log in urgency"),
        (lambda s: s.pulls.update({2: s.pulls[2]._replace(expires=1)}), "pull 2 differs from the log in expires"),
        (lambda s: s.pulls.pop(2), "pull 2 is missing"),
        (lambda s: s.pulls.update({3: s.pulls[2]._replace(number=3)}), "pull 3 is not in the log"),
        (lambda s: s.requests.update(k=s.requests["k"]._replace(made=1)), "request 'k' differs from the log in made"),
    ],
)  # fmt: skip
def test_every_changed_row_is_found(change: Callable[[CampaignState], None], finding: str) -> None:
    assert changed(change) == [finding]


def decided_log() -> list[LogEntry]:
    """Return the log of a campaign with the goal decide whose first arm is far beyond its level."""
    terms = Terms(family="bernoulli", goal="decide")
    return log_of(
        e.Created("c", terms.to_json(), 500 * UNIT),
        e.ArmsAdded((("a", 0.5, 0.5, 1.0, UNIT), ("b", 0.5, 0.5, 1.0, UNIT))),
        e.CountsTold(1, "1-s", 0, 30, 30.0, 7.5, paid=True),
        e.CountsTold(2, "2-s", 1, 30, 16.0, 7.5, paid=True),
    )


def test_a_sort_key_of_an_earlier_version_is_no_finding_and_any_other_is() -> None:
    log = decided_log()
    told, stored = replay("c", log), replay("c", log).state
    assert told.earlier is not None
    # Version 0.2 put an arm beyond its level behind all others, at 1e200 and more.
    before = {k: arm.rank(told.earlier.of(arm)) for k, arm in stored.arms.items()}
    assert before[0].urgency > 1e200 > stored.arms[0].urgency
    assert before[1] == stored.arms[1]
    for urgency, findings in (
        (before[0].urgency, []),
        (stored.arms[0].urgency, []),
        (2e200, ["arm 0 differs from the log in urgency"]),
    ):
        arms = [stored.arms[0].rank(urgency), stored.arms[1]]
        fresh = replay("c", log)
        rows = stored.pulls.values(), stored.requests.values()
        assert list(differences(fresh.state, stored.ledger, arms, *rows, earlier=fresh.earlier)) == findings
