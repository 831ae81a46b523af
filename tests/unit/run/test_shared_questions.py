"""Files and matrices in which all arms answer the same questions are noticed, others are not."""

from pathlib import Path
from typing import Any

from thresher.campaign import Campaign
from thresher.run.importers import Columns, LogImport, map_log
from thresher.run.shared_questions import matrix_note, question_parameter, recurring_column

ARMS = ("a", "b", "c")


def lines(**columns: Any) -> list[tuple[str, dict[str, str]]]:
    """Return 20 lines of each arm; a column is a function of the arm and the number of the line."""
    return [(arm, {name: str(cell(arm, i)) for name, cell in columns.items()}) for arm in ARMS for i in range(20)]


def test_a_column_whose_values_recur_in_every_arm_is_found() -> None:
    told = lines(model=lambda arm, _: arm, question=lambda _, i: f"q{i}", passed=lambda _, i: i % 2)
    assert recurring_column(told, ["model", "passed"]) == "question"
    assert recurring_column(told, ["model", "passed", "question"]) == ""


def test_own_questions_groups_and_few_values_are_not() -> None:
    for cell in (lambda arm, i: f"{arm}{i}", lambda _, i: f"day {i % 6}", lambda _, i: i % 4):
        assert recurring_column(lines(column=cell), []) == ""
    assert recurring_column([("a", {"question": f"q{i}"}) for i in range(20)], []) == ""


def test_a_matrix_of_questions_is_noticed_by_its_name_or_its_size() -> None:
    assert question_parameter({"model": "ab", "question_id": range(5)}) == "question_id"
    assert question_parameter({"model": "ab", "n": range(20)}) == "n"
    assert question_parameter({"model": "ab", "temperature": (0, 0.5, 1)}) == ""
    assert question_parameter({"question": range(50)}) == ""
    assert "--items FILE, and {item} in place of {question}" in matrix_note({"model": "ab", "question": range(9)})


def recurring(folder: Path, head: str, cell: str, columns: Columns) -> str:
    """Return the column that a file of 20 lines for each arm seems to have questions in."""
    path = folder / "runs.csv"
    path.write_text("\n".join([head, *(f"{arm},{cell.format(i)},{i % 2}" for arm in ARMS for i in range(20))]))
    address = f"sqlite:///{folder}/x.db"
    Campaign.create(address, "x", arms=list(ARMS), threshold=0.6, budget=90).disconnect()
    planned = LogImport(address, "x", map_log(path, columns))
    try:
        return planned.preview.recurring
    finally:
        planned.close()


def test_an_import_of_shared_questions_offers_the_item_column(tmp_path: Path) -> None:
    assert recurring(tmp_path, "arm,prompt,outcome", "q{}", Columns()) == "prompt"


def test_the_days_of_counts_are_not_questions(tmp_path: Path) -> None:
    columns = Columns(arm=("arm",), outcome="sales", count="visitors", key=("day",))
    assert recurring(tmp_path, "arm,day,visitors,sales", "day {},10", columns) == ""
