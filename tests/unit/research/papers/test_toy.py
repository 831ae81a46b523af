import pytest

from thresher.research.papers.toy import tail_bound


def test_the_tail_by_hand() -> None:
    # Two arms, three pulls: not all shown iff at most one of three pulls shows something, 4/8.
    assert tail_bound(2, 3) == pytest.approx(2 * 0.5)
    # One arm: only zeros in T pulls.
    assert tail_bound(1, 5) == pytest.approx(1 / 32)
    assert tail_bound(3, 3) == pytest.approx(3 * 7 / 8)


def test_with_fewer_pulls_than_arms_some_arm_is_left() -> None:
    assert tail_bound(4, 3) == 4.0
