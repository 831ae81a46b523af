"""From needs to queries and from changes to writes."""

from thresher.campaign import Change, Event, Ledger, Machine, Pull, State, Terms
from thresher.campaign import events as e
from thresher.storage.protocol import Need
from thresher.storage.sql import queries_of, sealed, step_of, view_of, writes_of
from thresher.storage.statements import load_statements

ARM_ROW = (0, "a", 0.5, 0.5, 1.0, 5, 0, 1, 0.0, 0.0, 1.5, 0)
PULL_ROW = (7, "7-s", 0, "out", 1, None, None, 3, 0, 0, 99)
LEDGER_ROW = (3, 9, "hash", "open", 50, 0, 5, 5, 1, 7, 0, 0)


def test_neighbours_are_read_at_once() -> None:
    spans = [query.parameters for query in queries_of(1, Need(pulls=(9, 3, 4, 7, 30)))]
    assert spans == [{"campaign": 1, "first": 3, "last": 9}, {"campaign": 1, "first": 30, "last": 30}]


def test_rows_become_a_state() -> None:
    queries = queries_of(1, Need(least=1, pulls=(7,), key="k"))
    assert [query.name for query in queries] == [
        "pulls_numbered", "least_arms", "lapsed_pulls", "request_with_key", "pulls_of_request",
    ]  # fmt: skip
    both = (*PULL_ROW, *ARM_ROW)
    state, expires = view_of(LEDGER_ROW, queries, [[both], [ARM_ROW], [both], [("k", 3, 7, 1)], [both]])
    assert state.ledger == Ledger._make(LEDGER_ROW)
    assert (state.least, state.lapsed, expires) == ((0,), (7,), {7: 99})
    assert state.pulls[7] == Pull._make(PULL_ROW[:-1])
    assert state.arms[0].urgency == 1.5
    assert state.requests["k"].first == 7


def test_a_tell_writes_one_step_one_event_one_arm_and_one_pull() -> None:
    machine = Machine(Terms(family="bernoulli", policy="lsa"))
    state, _ = view_of(LEDGER_ROW, queries_of(1, Need(pulls=(7,))), [[(*PULL_ROW, *ARM_ROW)]])
    change, event = sealed(machine, state, e.Told(((7, 1.0),)))
    writes = [step_of(1, change), *writes_of(1, state, change, event, lease=10, at=None)]
    assert [(write.name, len(write.rows)) for write in writes] == [
        ("advance", 1), ("append_event", 1), ("update_arm", 1), ("change_pull", 1),
    ]  # fmt: skip
    statements = load_statements("sqlite")
    assert writes[3].values(statements["change_pull"]) == [("told", 1.0, 4, 0, 1, 7)]
    assert change.ledger.hash == event.hash


def test_an_ask_without_a_known_time_leaves_the_lease_to_the_database() -> None:
    change = Change(Ledger(seq=4), {}, {8: Pull(8, "8-s", 0, since=4)}, {})
    [_, insert] = writes_of(1, State(Ledger(seq=3)), change, Event(4, "asked", "", 0, "seal"), lease=10, at=None)
    names = load_statements("postgresql")["insert_pull"]
    row = dict(zip(names.names, insert.values(names)[0], strict=True))
    assert (row["expires"], row["lease"], row["seal"]) == (None, 10, "seal")
    [_, insert] = writes_of(1, State(Ledger(seq=3)), change, Event(4, "asked", "", 0, "seal"), lease=10, at=5)
    assert dict(zip(names.names, insert.values(names)[0], strict=True))["expires"] == 15
