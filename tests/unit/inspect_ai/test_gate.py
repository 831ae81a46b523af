"""Which sample starts next, without a run of inspect_ai."""

from types import SimpleNamespace
from typing import Any

from thresher.inspect_ai.gate import SampleEpoch, TaskArm, is_next


def arm_of(price: float, *, waiting: int = 1, running: int = 0, decision: str = "open") -> TaskArm:
    """Return an arm whose next sample is worth this, with samples that wait and others that run."""
    verdict = SimpleNamespace(price=price, decision=decision, certain=False)
    board: Any = SimpleNamespace(verdicts={"m": verdict})
    arm = TaskArm(board, "m", "t", ("run", "task"), set(), 100, [])
    arm.waiting = [SampleEpoch(f"waits {i}", 1) for i in range(waiting)]
    arm.running = {SampleEpoch(f"runs {i}", 1) for i in range(running)}
    return arm


def who_starts(*arms: TaskArm, in_flight: int = 10) -> list[tuple[int, int]]:
    """Return the arms and places of the waiting samples that may start."""
    return [
        (k, place)
        for k, arm in enumerate(arms)
        for place, sample in enumerate(arm.waiting)
        if is_next(arm, sample, [*arms], in_flight)
    ]


def test_the_first_sample_of_the_arm_that_is_worth_most_starts() -> None:
    assert who_starts(arm_of(0.1, waiting=2), arm_of(0.3, waiting=2), arm_of(0.2)) == [(1, 0)]


def test_samples_that_run_make_the_next_one_of_their_arm_worth_less() -> None:
    assert who_starts(arm_of(0.1), arm_of(0.3, running=1)) == [(1, 0)]
    assert who_starts(arm_of(0.1), arm_of(0.3, running=3)) == [(0, 0)]


def test_an_arm_that_is_decided_or_has_no_sample_that_waits_holds_up_no_other() -> None:
    assert who_starts(arm_of(0.1), arm_of(0.3, decision="fail"), arm_of(0.2, waiting=0)) == [(0, 0)]


def test_no_more_samples_run_at_a_time_than_asked_for() -> None:
    arms = arm_of(0.1, running=1), arm_of(0.3, running=2)
    assert who_starts(*arms, in_flight=3) == []
    assert who_starts(*arms, in_flight=4) == [(1, 0)]
    arms[0].stalled = {*arms[0].running}  # which hold up no others any more
    assert who_starts(*arms, in_flight=3) == [(1, 0)]
