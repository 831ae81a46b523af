"""Arms from a text: what is right is taken, what is wrong is shown with its line."""

import pytest

from thresher.campaign.ledger import Terms
from thresher.dashboard.uploads import Upload
from thresher.problem.arms_table import MOST_FAULTS

NUMBER = "must be a number"


def test_a_worked_file() -> None:
    found = Upload('\ufeffArm, threshold\r\n a ,0.5\r\n\r\n"b, c",0.75\r\n')
    assert found.table.columns == {"arm": ["a", "b, c"], "threshold": [0.5, 0.75]}
    assert (found.table.lines, found.complaints) == ([2, 4], [])


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("", [(1, "number of arms is 0; must be at least 1")]),
        ("arm\n", [(1, "number of arms is 0; must be at least 1")]),
        ("arm,cost\nx,nan\ny,x\n", [(2, f"column 'cost' is 'nan'; {NUMBER}"), (3, f"column 'cost' is 'x'; {NUMBER}")]),
        ("a\nb\na\n", [(3, "column 'arm' is 'a'; must be unique: line 1 has it too")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_shown_with_its_line(text: str, complaints: list[tuple[int, str]]) -> None:
    assert Upload(text).complaints == complaints


def test_a_name_that_cannot_be_is_left_out_and_the_rest_is_kept() -> None:
    found = Upload("arm\na\nb\0b\nc\n" + "d" * 501 + "\n")
    assert found.table.names == ["a", "c"]
    assert [line for line, _ in found.complaints] == [3, 5]


def test_complaints_are_not_endless() -> None:
    assert len(Upload("arm,cost\n" + "x,y\n" * 1000).complaints) == MOST_FAULTS
    found = Upload("arm,threshold\n" + "".join(f"{i},7\n" for i in range(1000)))
    found.check_numbers(Terms(family="bernoulli"), threshold=None)
    assert len(found.complaints) == MOST_FAULTS


def test_numbers_that_no_campaign_can_have_are_found_line_by_line() -> None:
    found = Upload("arm,threshold\na,0.5\nb,1.5\nc,-1\n")
    found.check_numbers(Terms(family="bernoulli"), threshold=None)
    assert found.complaints == [
        (3, "threshold of arm 'b' is 1.5; must be between 0 and 1 (exclusive)"),
        (4, "threshold of arm 'c' is -1; must be between 0 and 1 (exclusive)"),
    ]


def test_blank_cells_take_the_bar_of_the_form_and_without_one_are_found() -> None:
    found = Upload("arm,threshold,cost\na,0.25,\nb,,2\n")
    assert found.table.columns == {"arm": ["a", "b"], "threshold": [0.25, None], "cost": [None, 2.0]}
    found.check_numbers(Terms(family="bernoulli"), threshold=0.5)
    assert found.complaints == []
    found.check_numbers(Terms(family="bernoulli"), threshold=None)
    assert found.complaints == [(3, "threshold is missing; every arm needs one; give a bar, or a column 'threshold'")]


def test_a_standard_deviation_fills_blank_cells_too() -> None:
    found = Upload("arm,threshold,sigma\na,1,2\nb,1,\n")
    found.check_numbers(Terms(family="gaussian"), threshold=None, sigma=3.0)
    assert found.complaints == []
