import numpy as np

from thresher.policy.literature.fixed_confidence.outputs import gap_at, output
from thresher.policy.rule import new_state


def test_gaps_are_sums_counted_from_the_bar_over_pulls() -> None:
    state = new_state(2, 1, 1)
    state.counts[:], state.totals[:] = [4, 2], [2.0, -1.0]
    assert [gap_at(state, k) for k in range(2)] == [0.5, -0.5]


def test_an_arm_that_is_output_is_above_and_counted_once() -> None:
    state = new_state(3, 1, 1)
    for k in (2, 0):
        output(state, k)
    np.testing.assert_array_equal(state.verdicts, [1, 0, 1])
    assert state.outputs.tolist() == [2]
