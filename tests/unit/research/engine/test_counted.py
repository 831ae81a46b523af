"""What comes out of many runs: room for it, notes of single runs, and parts put together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.engine import RunCounts
from thresher.research.engine.counted import after, join_budgets, new_counted, note
from thresher.research.engine.losses import RunLoss

N_ARMS, N_BUDGETS = 3, 2


def noted(rows: list[tuple[list[int], list[int]]], n_outputs: int = 0) -> RunCounts:
    """Return runs whose pulls at two budgets are given; everything else follows from the pulls."""
    counted = new_counted(len(rows), N_BUDGETS, N_ARMS, n_outputs, N_ARMS)
    for i, budgets in enumerate(rows):
        for b, pulls in enumerate(budgets):
            judged = RunLoss(0.5 * pulls[0], 1.0 if pulls[1] > 2 else 0.0)
            note(counted, i, b, judged, np.array(pulls), 10 * sum(pulls), pulls[2] > 3)
            counted.halves[i, b] = np.array(pulls) % 3
        counted.gaps[i] = np.array(budgets[-1]) / 7.0
        counted.outputs[i] = np.arange(n_outputs) + sum(budgets[-1])
    return counted


def test_nothing_is_counted_at_first() -> None:
    counted = new_counted(4, N_BUDGETS, N_ARMS, N_ARMS)
    assert counted.losses.shape == counted.any_mistakes.shape == counted.spent.shape == (4, 2)
    assert counted.stopped.tolist() == [[0, 0]] * 4
    assert counted.outputs.tolist() == [[0, 0, 0]] * 4
    assert counted.pulls.tolist() == counted.pulls_squared.tolist() == [[0, 0, 0]] * 2
    assert new_counted(4, 2, 3, 0).outputs.shape == (4, 0)


def test_a_run_is_noted_by_hand() -> None:
    counted = noted([([1, 2, 3], [4, 5, 6]), ([3, 3, 4], [3, 0, 0])])
    assert counted.losses.tolist() == [[0.5, 2.0], [1.5, 1.5]]
    assert counted.any_mistakes.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert counted.spent.tolist() == [[60, 150], [100, 30]]
    assert counted.stopped.tolist() == [[0, 1], [1, 0]]
    assert counted.pulls.tolist() == [[4, 5, 7], [7, 5, 6]]
    assert counted.pulls_squared.tolist() == [[10, 13, 25], [25, 25, 36]]


def assert_same(found: RunCounts, expected: RunCounts) -> None:
    for name, one, other in zip(RunCounts._fields, found, expected, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype, name
        np.testing.assert_array_equal(one, other, err_msg=name)


pulls = st.lists(st.integers(0, 50), min_size=N_ARMS, max_size=N_ARMS)
rows = st.lists(st.tuples(pulls, pulls), min_size=1, max_size=6)


@pytest.mark.parametrize("n_outputs", [0, N_ARMS])
@given(parts=st.lists(rows, min_size=1, max_size=4))
def test_ranges_of_runs_one_after_the_other_are_the_whole_range(
    n_outputs: int, parts: list[list[tuple[list[int], list[int]]]]
) -> None:
    together = after([noted(part, n_outputs) for part in parts])
    assert_same(together, noted([row for part in parts for row in part], n_outputs))


@given(rows=rows)
def test_budgets_counted_by_themselves_are_put_together(rows: list[tuple[list[int], list[int]]]) -> None:
    whole = noted(rows, N_ARMS)
    parts = [
        whole._replace(
            losses=whole.losses[:, [b]],
            any_mistakes=whole.any_mistakes[:, [b]],
            spent=whole.spent[:, [b]],
            stopped=whole.stopped[:, [b]],
            pulls=whole.pulls[[b]],
            pulls_squared=whole.pulls_squared[[b]],
            halves=whole.halves[:, [b]],
        )
        for b in range(N_BUDGETS)
    ]
    assert_same(join_budgets(parts), whole)
