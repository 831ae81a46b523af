"""An export that Label Studio wrote; data/README.md says how."""

from pathlib import Path

import pytest

from thresher.errors import InvalidOutcomeError
from thresher.run.importers import Columns, read_log

DATA = Path(__file__).parent / "data"


def told(columns: Columns | None = None, name: str = "label-studio.json") -> tuple[list[tuple[str, float]], int]:
    outcomes, left_out = read_log(DATA / name, columns)
    return [(one.arm, one.value) for one in outcomes], left_out


def test_a_task_is_an_arm_and_a_choice_its_outcome() -> None:
    outcomes, left_out = told(Columns(success=("yes",)))
    assert outcomes == [("1", 1.0), ("1", 1.0), ("1", 0.0), ("2", 0.0), ("2", 0.0), ("3", 1.0)]
    assert left_out == 1  # the annotation that was skipped


def test_a_worker_may_be_an_arm() -> None:
    outcomes, _ = told(Columns(arm=("annotator",), success=("no",)))
    assert [value for arm, value in outcomes if arm == "1"] == [0.0, 0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_choice_of_yes_or_no_is_an_outcome_and_another_one_is_not(tmp_path: Path) -> None:
    assert told(Columns()) == told(Columns(success=("yes",)))
    other = tmp_path / "label-studio.json"
    other.write_text((DATA / "label-studio.json").read_text().replace('["yes"]', '["bird"]'))
    with pytest.raises(
        InvalidOutcomeError, match=r"task 1 annotation 1: bird is 'bird'; give a number, say by --success"
    ):
        read_log(other)
