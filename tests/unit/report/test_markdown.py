from markdown import markdown

from thresher.report.markdown import markdown_table


def test_a_table_by_hand() -> None:
    made = markdown_table(["name", "n"], [["a", "1"], ["b", "20"]])
    assert made == "| name | n |\n| :--- | ---: |\n| a | 1 |\n| b | 20 |"


def test_what_would_end_a_cell_stays_inside_it() -> None:
    drawn = markdown(markdown_table(["name", "n"], [["a|b", "1"]]), extensions=["tables"])
    assert drawn.count("<td") == 2
    assert "a|b" in drawn
