"""What a process knows of a campaign that it wrote last."""

from thresher.campaign import Arm, Change, Ledger, Pull, State
from thresher.storage.ahead import Ahead, after_reading
from thresher.storage.protocol import Need, View

ARM = Arm(0, "a", 0.5, 0.5, 1.0, 5)


def known(seq: int = 3, **more: int) -> Ahead:
    state = State(Ledger(seq=seq), {0: ARM})
    state.add_pull(Pull(7, "7-s", 0))
    state.least = (0,)
    return Ahead(View(state, {}), fetched=1, **more)


def test_it_serves_what_it_holds() -> None:
    assert known().meets(Need(least=1))
    assert known().meets(Need(pulls=(7,)))
    assert not known().meets(Need(pulls=(7, 8)))
    assert not known().meets(Need(least=2))
    assert not known().meets(Need(names=("a",)))
    assert not known().meets(Need(pulls=(7,), beside=True))


def test_all_arms_are_enough_for_any_ask() -> None:
    few = known()
    few.fetched = 5  # five were wanted and there is one
    assert few.meets(Need(least=100))


def test_who_was_outrun_waits_for_calm_and_longer_each_time() -> None:
    ahead = known()
    assert ahead.is_calm
    for demand in (4, 8, 16, 32, 64, 64):
        ahead.outrun()
        assert (ahead.demand, ahead.is_calm, ahead.queries(1)) == (demand, False, [])
    ahead = known(seq=3, demand=2)
    for _ in range(2):
        assert not ahead.is_calm
        ahead = after_reading(known(seq=3).view, ahead, Need())
    assert ahead.is_calm
    assert not after_reading(known(seq=5).view, ahead, Need()).is_calm  # somebody else wrote two events


def test_it_takes_in_what_was_written_and_read_ahead() -> None:
    ahead = known()
    ahead.view.state.lapsed = (7,)
    change = Change(Ledger(seq=4, at=50), {}, {8: Pull(8, "8-s", 0, since=4)}, {})
    ahead.take(change, [[(*ARM[:10], 2.5, 0)], [(77,)]], at=50, lease=10)
    state = ahead.view.state
    assert (state.ledger.seq, state.lapsed, ahead.view.expires) == (4, (), {8: 60})
    assert (state.arms[0].urgency, ahead.deadline, ahead.fetched) == (2.5, 77, 1)
    ahead.take(change, [], at=60, lease=10)
    assert ahead.fetched == 0
