"""Decisions and transitions by hand: every step of a small campaign written out."""

import math
from dataclasses import replace
from typing import Any

import pytest

from thresher.campaign.ledger import Aggregate, Arm, CampaignState, Ledger, Machine, Pull, Terms, decisions
from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.rows import FORFEITED, LAPSED, OUT, TOLD, UNUSED, VOID
from thresher.errors import BudgetSpentError, CampaignClosedError, InvalidInputError, UnknownTicketError

UNIT = 1_000_000
AT = 10_000
EXPIRES = AT + 600_000_000


def begin(budget: int = 3, **terms: Any) -> tuple[Machine, CampaignState]:
    machine = Machine(Terms(**({"family": "gaussian", "policy": "lsa"} | terms)))
    state = CampaignState(Ledger())
    apply(machine, state, e.Created("c", machine.terms.to_json(), budget * UNIT))
    apply(machine, state, e.ArmsAdded((("a", 0.0, 1.0, 1.0, UNIT), ("b", 0.0, 1.0, 1.0, UNIT))))
    state.least = (0, 1)
    return machine, state


def apply(machine: Machine, state: CampaignState, event: e.Event | None) -> None:
    assert event is not None
    state.absorb(machine.apply(state, event, AT))
    state.least = tuple(sorted(state.arms, key=lambda k: (state.arms[k].urgency, k)))
    state.lapsed = ()


def ask(machine: Machine, state: CampaignState, n: int = 1) -> None:
    apply(machine, state, decisions.ask(machine, state, secrets=["s"] * n))


def told(number: int, value: float) -> e.Told:
    return e.Told(((number, value),))


def test_asking_reserves_and_telling_spends() -> None:
    machine, state = begin()
    ask(machine, state, 2)
    assert state.pulls[1] == Pull(1, "1-s", 0, OUT, since=3, expires=EXPIRES)
    assert state.ledger == Ledger(
        seq=3, at=AT, budget=3 * UNIT, reserved=2 * UNIT, opening=2 * UNIT, cheapest=UNIT, arms=2, pulls=2
    )
    apply(machine, state, told(1, 0.25))
    assert state.pulls[1] == Pull(1, "1-s", 0, TOLD, value=0.25, since=3, told=4, expires=EXPIRES)
    arm = state.arms[0]
    assert (arm.pulls, arm.outstanding, arm.total, arm.squares) == (1, 0, 0.25, 0.0625)
    assert arm.urgency == pytest.approx(0.25**2 / 2)  # x + log 1
    assert (state.ledger.spent, state.ledger.reserved, state.ledger.told, state.ledger.seq) == (UNIT, UNIT, 1, 4)


def test_an_ask_takes_those_before_it_into_account() -> None:
    machine, state = begin(budget=9)
    asked = decisions.ask(machine, state, secrets=["s"] * 5)
    assert asked is not None
    assert [pull[2] for pull in asked.pulls] == [0, 1, 0, 1, 0]  # fewest outstanding first, ties to the lowest


def test_a_lapse_gives_the_unit_back_or_spends_it() -> None:
    for expiry, state_after, spent in (("reissue", LAPSED, 0), ("forfeit", FORFEITED, UNIT)):
        machine, state = begin(expiry=expiry)
        ask(machine, state)
        apply(machine, state, e.Failed(1, ""))
        assert (state.pulls[1].state, state.ledger.spent, state.ledger.reserved) == (state_after, spent, 0)
        assert state.arms[0].urgency == -math.inf  # to be opened again


def test_expired_pulls_are_released_by_the_next_ask() -> None:
    machine, state = begin(budget=2)
    ask(machine, state, 2)
    state.lapsed = (1, 2)
    asked = decisions.ask(machine, state, secrets=["s"])
    assert asked == e.Asked(((3, "3-s", 0),), (1, 2))
    apply(machine, state, asked)
    assert (state.pulls[1].state, state.pulls[2].state, state.ledger.reserved) == (LAPSED, LAPSED, UNIT)


def test_expiries_are_written_even_if_no_ticket_can_be_issued() -> None:
    machine, state = begin(budget=2, expiry="forfeit")
    ask(machine, state, 2)
    state.lapsed = (1,)
    assert decisions.ask(machine, state, secrets=["s"], key="k") == e.Asked((), (1,))


def test_a_late_outcome_is_used_while_budget_remains() -> None:
    machine, state = begin(budget=3)
    ask(machine, state, 3)
    for number in (1, 2):
        apply(machine, state, e.Failed(number, ""))
    ask(machine, state)  # one of the two units is given away, the other is left
    apply(machine, state, e.Told(((1, 1.0), (2, 1.0))))
    assert [(state.pulls[i].state, state.pulls[i].late) for i in (1, 2)] == [(TOLD, 1), (UNUSED, 1)]
    assert (state.ledger.spent, state.ledger.reserved, state.ledger.told, state.ledger.late) == (UNIT, 2 * UNIT, 1, 2)


def test_voiding_adds_up_again_in_the_order_of_telling() -> None:
    machine, state = begin(budget=9)
    ask(machine, state, 6)  # arms a, b, a, b, a, b
    for number, value in ((5, 0.1), (1, 0.7), (3, 1e16)):
        apply(machine, state, told(number, value))
    apply(machine, state, e.Voided(3, ""))
    assert state.arms[0].total == 0.1 + 0.7
    assert state.pulls[3].state == VOID
    apply(machine, state, e.Amended(3, 0.3, ""))
    assert state.arms[0].total == 0.1 + 0.7 + 0.3
    apply(machine, state, e.Amended(5, 0.4, ""))
    assert state.arms[0].total == 0.4 + 0.7 + 0.3
    assert state.ledger.told == 3


def test_a_transition_leaves_the_old_rows_alone() -> None:
    machine, state = begin()
    before = dict(state.arms), state.ledger
    machine.apply(state, e.Asked(((1, "1-s", 0),)))
    assert (state.arms, state.ledger) == before


def test_the_budget_of_an_aggregate_must_be_there() -> None:
    machine, state = begin(budget=3)
    arm = state.arms[0]
    command = decisions.counted(machine.terms, state, arm, Aggregate(4, 1.0, 2.0), paid=True, secret="s")
    with pytest.raises(BudgetSpentError, match="cost 4 and 3"):
        decisions.count(state, command)
    apply(machine, state, decisions.count(state, replace(command, paid=False)))
    assert (state.ledger.spent, state.arms[0].pulls, state.arms[0].squares) == (0, 4, 2.0)


def test_new_arms_need_a_budget_that_opens_all() -> None:
    machine, state = begin(budget=3)
    row = ("c", 0.0, 1.0, 1.0, 2 * UNIT)
    with pytest.raises(
        InvalidInputError, match="budget is 3; must be at least 4, the cost of the first pulls of 3 arms"
    ):
        decisions.add_arms(machine.terms, "c", state.ledger, [row], lacked=2 * UNIT)
    apply(machine, state, decisions.extend("c", state, e.Extended(UNIT), {}))
    apply(machine, state, decisions.add_arms(machine.terms, "c", state.ledger, [row]))
    assert state.arms[2] == Arm(2, *row)


@pytest.mark.parametrize("ticket", ["", "1", "-s", "x-s", "٣-s", "1" * 30 + "-s"])
def test_what_is_no_ticket_is_unknown(ticket: str) -> None:
    with pytest.raises(UnknownTicketError):
        decisions.number_in("c", ticket)


def test_a_closed_campaign_stays_closed() -> None:
    machine, state = begin()
    apply(machine, state, decisions.close(state.ledger, reason=""))
    assert decisions.close(state.ledger, reason="") is None
    assert decisions.ask(machine, state, secrets=["s"]) is None
    with pytest.raises(CampaignClosedError):
        decisions.resume("c", state.ledger)


def test_whether_none_can_change() -> None:
    machine, state = begin(budget=2)
    least = state.arms[0]
    assert decisions.is_open(machine.terms, state.ledger, least)
    ask(machine, state, 2)
    assert decisions.is_open(machine.terms, state.ledger, least)  # a lease may run out
    apply(machine, state, e.Told(((1, 1.0), (2, 1.0))))
    assert not decisions.is_open(machine.terms, state.ledger, state.arms[0])
    apply(machine, state, e.Extended(UNIT))
    assert decisions.is_open(machine.terms, state.ledger, state.arms[0])
    assert not decisions.is_open(machine.terms, state.ledger, None)
