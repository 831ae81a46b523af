"""Arms as users bring them."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from thresher.campaign.arms import arm_rows
from thresher.campaign.inputs import name_of
from thresher.campaign.ledger import Terms
from thresher.errors import InvalidInputError

pd = pytest.importorskip("pandas")
COIN, GAUSS = Terms(family="bernoulli"), Terms(family="gaussian")
COLUMNS = {"arm": ["a", "b"], "threshold": [0.5, 0.6], "cost": [1, 2], "pull_cost": [0.5, 1.0]}
ROWS = [("a", 0.5, 0.5, 1.0, 500_000), ("b", 0.6, 0.5, 2.0, 1_000_000)]


@pytest.mark.parametrize(
    "frame", [COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)], ids=["dict", "pandas", "polars"]
)
def test_columns_come_from_any_kind_of_table(frame: Any) -> None:
    assert arm_rows(COIN, frame) == ROWS


def test_names_alone_take_one_threshold_for_all() -> None:
    assert arm_rows(GAUSS, ("a", "b"), thresholds=0.1, sigma=[1, 2]) == [
        ("a", 0.1, 1.0, 1.0, 1_000_000), ("b", 0.1, 2.0, 1.0, 1_000_000),
    ]  # fmt: skip
    assert [row[0] for row in arm_rows(COIN, range(2), thresholds=0.5)] == ["0", "1"]
    assert [row[0] for row in arm_rows(COIN, (name for name in "xy"), thresholds=0.5)] == ["x", "y"]


def test_a_number_in_a_column_goes_before_the_one_for_all() -> None:
    assert arm_rows(COIN, COLUMNS, thresholds=0.9, costs=[7, 7]) == ROWS


def test_a_single_number_in_a_column_is_that_of_every_arm() -> None:
    for bar in (0.5, np.float64(0.5), np.array(0.5)):
        rows = arm_rows(COIN, {"arm": ["a", "b"], "threshold": bar, "cost": 2})
        assert [row[1:4] for row in rows] == [(0.5, 0.5, 2.0)] * 2


def test_a_frame_without_arms_or_with_a_column_twice_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="number of arms is 0; must be at least 1"):
        arm_rows(COIN, pd.DataFrame({"arm": []}), thresholds=0.5)
    with pytest.raises(InvalidInputError, match="must have different names"):
        arm_rows(COIN, pd.DataFrame([["a", "b"]], columns=["arm", "arm"]), thresholds=0.5)
    with pytest.raises(InvalidInputError, match="column 'arm' is 'ab'; must be a list of names"):
        arm_rows(COIN, {"arm": "ab"}, thresholds=0.5)


HOLES = {"arm": ["a", "b"], "threshold": [0.5, None], "cost": [None, 2], "pull_cost": [None, None]}


@pytest.mark.parametrize("frame", [HOLES, pd.DataFrame(HOLES), pl.DataFrame(HOLES)], ids=["dict", "pandas", "polars"])
def test_blank_cells_take_what_is_given_for_all(frame: Any) -> None:
    assert arm_rows(COIN, frame, thresholds=0.6) == [("a", 0.5, 0.5, 1.0, 1_000_000), ("b", 0.6, 0.5, 2.0, 1_000_000)]
    rows = arm_rows(COIN, frame, thresholds=[0.1, 0.2], costs=3, pull_costs=[2, 4])
    assert rows == [("a", 0.5, 0.5, 3.0, 2_000_000), ("b", 0.2, 0.5, 2.0, 4_000_000)]
    with pytest.raises(
        InvalidInputError, match="row 2, column 'threshold' is missing; every arm needs one; fill the cell"
    ):
        arm_rows(COIN, frame)
    with pytest.raises(InvalidInputError, match="shape"):
        arm_rows(COIN, frame, thresholds=[0.1, 0.2, 0.3])


def test_what_is_no_number_fills_no_cell() -> None:
    with pytest.raises(InvalidInputError, match="is nan; must be a finite number"):
        arm_rows(COIN, HOLES, thresholds=float("nan"))
    with pytest.raises(InvalidInputError, match="row 1, column 'threshold' is nan; must be a number"):  # not blank
        arm_rows(COIN, {"arm": ["a"], "threshold": [float("nan")]}, thresholds=0.5)
    with pytest.raises(InvalidInputError, match="is 'half'; must be a number"):
        arm_rows(COIN, HOLES, thresholds="half")
    with pytest.raises(InvalidInputError, match="length of column 'threshold' is 2; must be the number of arms, 1"):
        arm_rows(COIN, {"arm": ["a"], "threshold": [0.5, 0.6]}, thresholds=0.5)


@pytest.mark.parametrize(
    "arms",
    [{"arm": ["a"], "treshold": [0.5]}, pd.DataFrame({"arm": ["a"], "colour": ["red"]})],
    ids=str,
)
def test_an_unknown_column_is_refused_with_the_nearest(arms: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"column 2 is .*; must be a known column; (did you mean|known)"):
        arm_rows(COIN, arms)


@pytest.mark.parametrize("arms", [{"threshold": [0.5]}, 7, None, [], "ab", [1.5], [True]], ids=str)
def test_what_is_no_list_of_names_is_refused(arms: Any) -> None:
    with pytest.raises(InvalidInputError):
        arm_rows(COIN, arms, thresholds=None if isinstance(arms, dict) else 0.5)


def test_names_are_text_without_control_characters() -> None:
    assert name_of("arm", "a b\u200f💥") == "a b\u200f💥"
    for name in ("", "x" * 501, "a\nb", "\x1b[31m", "\ud800", "  ", "\u200b", "\u00a0\u2003"):
        with pytest.raises(InvalidInputError):
            name_of("arm", name)
    with pytest.raises(InvalidInputError, match="name of a campaign is ''; must have 1 to 500 characters"):
        name_of("campaign", "")


def test_gaussian_outcomes_need_a_sigma() -> None:
    with pytest.raises(InvalidInputError, match=r"sigma is missing; .*use the family gaussian-unknown-variance"):
        arm_rows(GAUSS, ["a"], thresholds=0.1)
