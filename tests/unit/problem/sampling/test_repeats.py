"""The order of items that may be asked several times, and tables with several outcomes of an arm on an item."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.problem import Problem
from thresher.problem.sampling.repeats import place_of, turn_at

TABLE = "arm,item,repeat,value\na,x,1,1\na,x,2,0\na,y,1,1\nb,x,1,0\nb,y,1,1\nb,y,2,1\nb,y,3,0\n"


def test_the_first_places_by_hand() -> None:
    asked = [tuple(turn_at(place, 20, 3)) for place in range(24)]
    new = [(rank, 0) for rank in range(20)]
    assert asked[:5] == [*new[:4], (0, 1)]  # the fifth repeats the first
    assert asked[5:15] == [*new[4:13], (1, 1)]  # the fifteenth the second
    assert asked[15:22] == new[13:]
    assert asked[22:] == [(2, 1), (3, 1)]  # then again, without those that were repeated early


@given(size=st.integers(1, 100), repeats=st.integers(1, 6))
def test_every_item_is_asked_as_often_as_it_may_be_and_every_place_is_found_again(size: int, repeats: int) -> None:
    turns = [turn_at(place, size, repeats) for place in range(size * repeats)]
    assert sorted(turns) == [(rank, repeat) for rank in range(size) for repeat in range(repeats)]
    assert [place_of(*turn, size, repeats) for turn in turns] == list(range(size * repeats))
    asked = [0] * size
    for rank, repeat in turns:
        assert asked[rank] == repeat
        asked[rank] += 1
    first = [rank for rank, repeat in turns if repeat == 0]
    assert first == list(range(size))
    assert {repeat for _, repeat in turns[: size // 2]} <= {0, 1}


def test_a_table_with_repeats_is_a_problem_with_the_rates_of_its_cells(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    problem = Problem.crossed(path, 0.6)
    assert problem.sampling.repeats == 3
    assert problem.arms == ("a", "b")
    np.testing.assert_allclose(problem.means, [0.75, (0.0 + 2.0 / 3.0) / 2.0])
    assert problem.pool is not None
    assert problem.pool.values.tolist() == [0.5, 1.0, 0.0, 2.0 / 3.0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("arm,item,repeat,value\na,x,1,1\na,x,1,0\n", r"outcome of arm 'a' on item 'x', repeat '1'.*is given twice"),
        ("arm,item,repeat,value\na,x,1,0.5\na,x,2,1\n", r"outcome of arm 'a' on item 'x' is 0\.5; must be 0 or 1"),
        ("arm,item,value\na,x,1\na,x,0\n", r"outcome of arm 'a' on item 'x'.*is given twice"),
    ],
)
def test_a_row_that_cannot_be_right_is_named(tmp_path, text: str, why: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=why):
        Problem.crossed(path, 0.6)


def test_one_outcome_of_each_item_is_a_crossed_table_as_before(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "table.csv"
    path.write_text("arm,item,repeat,value\na,x,1,1\na,y,1,0.25\n")
    assert Problem.crossed(path, 0.6).sampling.repeats == 1
