"""What a process knows of a campaign that it wrote last."""

import random

from thresher.campaign import Arm, Change, Ledger, Pull, State
from thresher.storage import ahead as module
from thresher.storage.ahead import HIGHEST, Ahead, after_reading
from thresher.storage.protocol import Need, View
from thresher.storage.sql import NEVER

ARMS = {k: Arm(k, f"arm {k}", 0.5, 0.5, 1.0, 5, urgency=float(k)) for k in range(4)}


def view(seq: int = 3, seal: str = "h") -> View:
    state = State(Ledger(seq=seq, hash=seal, at=40), dict(ARMS))
    state.add_pull(Pull(7, "7-s", 0))
    state.least = (0, 1)
    return View(state, {7: 99})


def known(demand: int = 0) -> Ahead:
    found = Ahead(view(), demand=demand)
    found.line_up((0, 1), 2, 99)
    return found


def change(*arms: Arm) -> Change:
    return Change(Ledger(seq=4, at=50), {arm.position: arm for arm in arms}, {}, {})


def test_it_serves_what_it_holds() -> None:
    assert known().meets(Need(least=2))
    assert known().meets(Need(pulls=(7,)))
    assert not known().meets(Need(pulls=(7, 8)))
    assert not known().meets(Need(least=3))
    assert not known().meets(Need(names=("a",)))
    assert not known().meets(Need(pulls=(7,), beside=True))
    assert not Ahead(view()).meets(Need(least=1))  # without a queue nobody can be asked


def test_all_arms_are_enough_for_any_ask() -> None:
    few = known()
    few.line_up((0, 1), 3, None)  # three were wanted and there are two
    assert few.bound == HIGHEST
    assert few.deadline == NEVER
    assert few.meets(Need(least=100))


def test_an_ask_after_a_lease_ran_out_must_read() -> None:
    late = known()
    late.deadline = 40
    assert not late.meets(Need(least=1))
    assert late.meets(Need(pulls=(7,)))


def test_an_arm_that_falls_behind_the_bound_leaves_the_queue_and_one_that_rises_joins() -> None:
    ahead = known()
    assert ahead.bound == (1.0, 1)
    ahead.take(change(ARMS[0]._replace(urgency=1.5)), at=50, lease=10)
    assert ahead.queue == [(1.0, 1)]
    ahead.take(change(ARMS[3]._replace(urgency=0.5)), at=50, lease=10)
    assert ahead.queue == [(0.5, 3), (1.0, 1)]
    assert ahead.state_for(Need(least=1)).least == (3,)


def test_the_queue_is_the_beginning_of_the_order_whatever_happens() -> None:
    luck = random.Random(1)
    arms = {k: Arm(k, f"arm {k}", 0.5, 0.5, 1.0, 5, urgency=luck.random()) for k in range(60)}
    state = State(Ledger(at=1), dict(arms))
    ahead = Ahead(View(state, {}))
    ahead.line_up(sorted(arms, key=lambda k: (arms[k].urgency, k))[:20], 20, None)
    for i in range(300):
        changed = luck.sample(range(60), 1 if i % 2 else 9)  # one by one, or all at once
        arms |= {k: arms[k]._replace(urgency=luck.choice([0.1, 0.2, luck.random()])) for k in changed}
        ahead.take(change(*(arms[k] for k in changed)), at=2, lease=1)
        order = sorted((arm.urgency, position) for position, arm in arms.items())
        assert ahead.queue == order[: len(ahead.queue)]


def test_it_takes_in_what_was_written() -> None:
    ahead = known()
    written = Change(Ledger(seq=4, at=50), {}, {8: Pull(8, "8-s", 0, since=4)}, {})
    ahead.take(written, at=50, lease=10)
    state = ahead.view.state
    assert (state.ledger.seq, state.pulls[8].ticket, ahead.view.expires) == (4, "8-s", {7: 99, 8: 60})
    assert ahead.deadline == 60


def test_who_was_outrun_waits_for_calm_and_longer_each_time() -> None:
    ahead = known()
    assert ahead.is_calm
    for seq, demand in enumerate((4, 8, 16, 32, 64, 64), start=10):
        ahead = after_reading(view(seq), ahead, Need(), was_refused=True)
        assert (ahead.demand, ahead.is_calm) == (demand, False)
    ahead = known(demand=2)
    for _ in range(2):
        assert not ahead.is_calm
        ahead = after_reading(view(), ahead, Need(), was_refused=False)
    assert ahead.is_calm
    assert not after_reading(view(seq=5), ahead, Need(), was_refused=False).is_calm  # somebody else wrote two events


def test_another_history_with_as_many_events_is_not_ours() -> None:
    assert after_reading(view(seal="h"), known(), Need(), was_refused=False).queue
    assert not after_reading(view(seal="other"), known(), Need(), was_refused=False).queue


def test_what_was_read_alone_is_added_to_what_was_known() -> None:
    fresh = View(State(Ledger(seq=3, hash="h", at=40)), {8: 70})
    fresh.state.add_pull(Pull(8, "8-s", 1))
    both = after_reading(fresh, known(), Need(pulls=(8,)), was_refused=False)
    assert sorted(both.view.state.pulls) == [7, 8]
    assert both.view.expires == {7: 99, 8: 70}
    assert both.queue
    # Who asks for arms by name looks at all that came, so nothing else may be there.
    named = after_reading(fresh, known(), Need(names=("a",)), was_refused=False)
    assert not named.view.state.arms


def test_it_forgets_when_it_knows_too_much() -> None:
    limit, module.MOST_ROWS = module.MOST_ROWS, 0
    try:
        assert not known().meets(Need(pulls=(7,)))
        assert not after_reading(view(), known(), Need(), was_refused=False).queue
    finally:
        module.MOST_ROWS = limit


def test_pulls_that_ended_are_let_go_when_the_next_transaction_begins() -> None:
    ahead = known()
    ahead.take(Change(Ledger(seq=4, at=50), {}, {7: Pull(7, "7-s", 0, "told")}, {}), at=50, lease=10)
    assert ahead.view.state.pulls[7].state == "told"  # whoever told it may look
    ahead.begin()
    assert not ahead.view.state.pulls
    assert not ahead.view.state.pulls_of(0)
    assert not ahead.view.expires


def test_what_was_read_is_not_changed_by_what_is_written_later() -> None:
    read = view()
    ahead = after_reading(read, None, Need(), was_refused=False)
    ahead.take(Change(Ledger(seq=4, at=50), {}, {7: Pull(7, "7-s", 0, "told")}, {}), at=50, lease=10)
    ahead.begin()
    assert read.state.pulls[7].state == "out"
    assert read.expires == {7: 99}
