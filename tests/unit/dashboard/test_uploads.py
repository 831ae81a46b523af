"""Arms from a text: what is right is taken, what is wrong is said with its line."""

import pytest

from thresher.campaign import Terms
from thresher.dashboard.uploads import MOST_COMPLAINTS, check_numbers, read_upload


def test_a_worked_file() -> None:
    found = read_upload('\ufeffArm, threshold\r\n a ,0.5\r\n\r\n"b, c",0.75\r\n')
    assert found.columns == {"arm": ["a", "b, c"], "threshold": [0.5, 0.75]}
    assert found.lines == [2, 4]
    assert found.complaints == []


def test_names_alone_need_no_heading() -> None:
    found = read_upload("first\nsecond\n\nthird")
    assert found.columns == {"arm": ["first", "second", "third"]}
    assert found.lines == [1, 2, 4]


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("", [(1, "there are no arms")]),
        (" \n\n", [(1, "there are no arms")]),
        ("arm\n", [(1, "there are no arms below the heading")]),
        ("a,b\nx,1\n", [(1, "no column 'arm'; head the columns arm, threshold, sigma, cost, pull_cost")]),
        ("arm,colour\nx,red\n", [(1, "unknown column 'colour'; there are arm, threshold, sigma, cost, pull_cost")]),
        ("arm,cost,cost\nx,1,2\n", [(1, "the column 'cost' stands there twice")] * 2),
        ("arm,cost\nx\n", [(2, "1 cells under 2 columns")]),
        ("arm,cost\nx,1,2\n", [(2, "3 cells under 2 columns")]),
        ("arm,cost\nx,much\n", [(2, "cost is 'much'; give a number")]),
        ("arm,cost\nx,nan\ny,inf\n", [(2, "cost is 'nan'; give a number"), (3, "cost is 'inf'; give a number")]),
        ("a\nb\na\n", [(3, "the arm 'a' is on line 1 too")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(text: str, complaints: list[tuple[int, str]]) -> None:
    assert read_upload(text).complaints == complaints


def test_an_open_quote_is_found() -> None:
    [(line, what)] = read_upload('arm\n"a\nb\n').complaints
    assert line == 3
    assert "end of data" in what


def test_a_name_that_cannot_be_is_left_out_and_the_rest_is_kept() -> None:
    found = read_upload("arm\na\nb\0b\nc\n" + "d" * 501 + "\n")
    assert found.names == ["a", "c"]
    assert [line for line, _ in found.complaints] == [3, 5]


def test_complaints_are_not_endless() -> None:
    assert len(read_upload("arm,cost\n" + "x,y\n" * 1000).complaints) == MOST_COMPLAINTS


def test_numbers_that_no_campaign_can_have_are_found_line_by_line() -> None:
    found = read_upload("arm,threshold\na,0.5\nb,1.5\nc,-1\n")
    check_numbers(found, Terms(family="bernoulli"), threshold=None)
    assert [line for line, _ in found.complaints] == [3, 4]
    assert "1.5" in found.complaints[0][1]


def test_blank_cells_take_the_bar_of_the_form_and_without_one_are_found() -> None:
    text = "arm,threshold,cost\na,0.25,\nb,,2\n"
    found = read_upload(text)
    assert found.columns == {"arm": ["a", "b"], "threshold": [0.25, None], "cost": [None, 2.0]}
    check_numbers(found, Terms(family="bernoulli"), threshold=0.5)
    assert found.complaints == []
    check_numbers(found, Terms(family="bernoulli"), threshold=None)
    assert found.complaints == [(3, "no threshold; give a threshold, or a column 'threshold'")]


def test_a_standard_deviation_fills_blank_cells_too() -> None:
    found = read_upload("arm,threshold,sigma\na,1,2\nb,1,\n")
    check_numbers(found, Terms(family="gaussian"), threshold=None, sigma=3.0)
    assert found.complaints == []
