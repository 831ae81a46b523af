import math

from thresher.policy.literature.fixed_budget.search import NOTE, NOTES, search_memory, search_steps


def test_the_steps_by_hand() -> None:
    assert search_steps(10) == math.ceil(6 * 2.302585)
    assert search_steps(1) == 1


def test_there_is_room_for_a_note_of_every_step() -> None:
    assert search_memory(10) == NOTES + 14 * NOTE
