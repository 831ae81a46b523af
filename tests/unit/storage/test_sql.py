"""From needs to queries and from changes to writes."""

from thresher.campaign import Arm, Change, Event, Ledger, Machine, Pull, Request, State, Terms
from thresher.campaign import events as e
from thresher.storage.protocol import Need
from thresher.storage.sql import GIVEN, picker, queries_of, sealed, step_of, view_of
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
    state, expires = view_of("c", [LEDGER_ROW], queries, [[both], [ARM_ROW], [both], [("k", 3, 7, 1)], [both]])
    assert state.ledger == Ledger._make(LEDGER_ROW)
    assert (state.least, state.lapsed, expires) == ((0,), (7,), {7: 99})
    assert state.pulls[7] == Pull._make(PULL_ROW[:-1])
    assert state.arms[0].urgency == 1.5
    assert state.requests["k"].first == 7


def test_a_tell_writes_one_step_one_event_one_arm_and_one_pull() -> None:
    machine = Machine(Terms(family="bernoulli", policy="lsa"))
    state, _ = view_of("c", [LEDGER_ROW], queries_of(1, Need(pulls=(7,))), [[(*PULL_ROW, *ARM_ROW)]])
    change, event = sealed(machine, state, e.Told(((7, 1.0),)))
    step = step_of(1, state, change, event, lease=10, deadline=77)
    assert [(write.name, len(write.rows)) for write in step.writes] == [("update_arm", 1), ("change_pull", 1)]
    given = dict(zip(GIVEN, step.given, strict=True))
    assert (given["seq"], given["previous"], given["deadline"], given["kind"]) == (4, "hash", 77, "told")
    assert given["hash"] == change.ledger.hash == event.hash
    names = load_statements("sqlite")["change_pull"].names
    row = picker(names, (*Pull._fields, "campaign"))((*step.writes[1].rows[0], 1))
    assert row == ("told", 1.0, 4, 0, 1, 7)


def test_rows_that_were_not_known_are_new() -> None:
    pulls = {7: Pull(7, "7-s", 0, since=4), 8: Pull(8, "8-s", 0, since=4), 9: Pull(9, "9-s", 0, "told", since=2)}
    state = State(Ledger(seq=3), {0: Arm._make(ARM_ROW)})
    state.add_pull(Pull(7, "7-s", 0, since=3))
    state.add_pull(Pull(9, "9-s", 0, since=2))
    arms = {0: Arm._make(ARM_ROW), 1: Arm._make(ARM_ROW)._replace(position=1)}
    change = Change(Ledger(seq=4), arms, pulls, {"k": Request("k", 4, 8, 1)})
    step = step_of(1, state, change, Event(4, "asked", "", 0, "seal"), lease=10)
    assert {write.name: write.rows for write in step.writes} == {
        "insert_arm": [arms[1]],
        "update_arm": [arms[0]],
        "insert_pull": [pulls[8]],
        "change_pull": [pulls[9]],
        "renew_pull": [pulls[7]],
        "insert_request": [("k", 4, 8, 1)],
    }
    assert dict(zip(GIVEN, step.given, strict=True))["key"] == "k"
