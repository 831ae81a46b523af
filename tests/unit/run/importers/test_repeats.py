"""Logs with several outcomes of an arm on an item, told to a campaign with repeats."""

from itertools import count
from pathlib import Path

import pytest

from thresher.campaign import Campaign, Imported, ImportOptions
from thresher.errors import ImportConflictError, InvalidOutcomeError
from thresher.run.importers import Columns, read_log, tell_log

NAMES = (f"imported repeats {number}" for number in count())  # campaigns in memory share one storage


def campaign(repeats: int = 3) -> Campaign:
    given = {"items": ["q1", "q2"], "threshold": 0.5, "budget": 4 * repeats}
    return Campaign.create("memory://", next(NAMES), arms=["a", "b"], repeats=repeats, **given)  # type: ignore[arg-type]


def told(made: Campaign, folder: Path, text: str, name: str = "runs.csv", **columns: str) -> Imported:
    path = folder / name
    path.write_text(text)
    return tell_log(made, read_log(path, Columns(**columns))[0], options=ImportOptions())  # type: ignore[arg-type]


def test_a_column_repeat_is_the_ordinal(tmp_path: Path) -> None:
    made, text = campaign(), "arm,item,repeat,outcome\na,q1,2,0\na,q1,1,1\nb,q2,3,1\n"
    assert told(made, tmp_path, text).told == 3
    assert (again := told(made, tmp_path, text)).told == 0
    assert again.before == 3
    assert made.items()[0].repeated == ((1.0, 0.0, None), (None, None, None))
    assert made.items()[1].repeated == ((None, None, None), (None, None, 1.0))
    made.verify()


def test_another_column_can_be_chosen(tmp_path: Path) -> None:
    made = campaign()
    told(made, tmp_path, "arm,item,run,outcome\na,q1,3,1\n", repeat="run")
    assert made.items()[0].repeated[0] == (None, None, 1.0)
    with pytest.raises(InvalidOutcomeError, match="--repeat-column"):
        told(made, tmp_path, "arm,item,outcome\na,q1,1\n", "other.csv", repeat="run")


def test_without_a_column_outcomes_are_numbered_as_they_come(tmp_path: Path) -> None:
    made, text = campaign(), "arm,item,outcome\na,q1,1\na,q1,1\nb,q1,0\n"
    assert told(made, tmp_path, text).told == 3
    assert told(made, tmp_path, text).told == 0, "the same lines of the same source"
    assert told(made, tmp_path, text + "a,q1,0\n").told == 1, "a longer version adds its new line"
    assert made.items()[0].repeated == ((1.0, 1.0, 0.0), (0.0, None, None))
    assert told(made, tmp_path, "arm,item,outcome\nb,q1,1\n", "more.csv").told == 1, "another source is measured anew"
    assert made.items()[0].repeated[1] == (0.0, 1.0, None)
    with pytest.raises(ImportConflictError, match=r"more\.csv line 3: .* more outcomes than .* repeats, 3"):
        told(made, tmp_path, "arm,item,outcome\nb,q1,1\na,q1,1\n", "more.csv")
    made.verify()


@pytest.mark.parametrize("repeat", ["4", "0", "1.5", "first", ""])
def test_an_ordinal_that_cannot_be_changes_nothing(tmp_path: Path, repeat: str) -> None:
    made, fix = campaign(), "a campaign with more repeats" if repeat == "4" else "correct the line"
    with pytest.raises(ImportConflictError, match=rf"runs\.csv line 3: .*; .*{fix}; nothing was stored"):
        told(made, tmp_path, f"arm,item,repeat,outcome\na,q2,1,1\na,q1,{repeat},1\n")
    assert made.standing.told == 0


def test_a_campaign_without_repeats_ignores_the_column(tmp_path: Path) -> None:
    made = campaign(repeats=1)
    assert told(made, tmp_path, "arm,item,repeat,outcome\na,q1,first,1\n").told == 1
    for outcome in "01":  # the same outcome again is another measurement too
        with pytest.raises(ImportConflictError, match=r"line 3: .* is repeat 2, and the campaign asks each item once"):
            told(made, tmp_path, f"arm,item,repeat,outcome\na,q1,1,1\na,q1,2,{outcome}\n", "other.csv")
    with pytest.raises(ImportConflictError, match=r"new campaign with repeats \(--repeats\)"):
        told(made, tmp_path, "arm,item,outcome\na,q1,1\na,q1,0\n", "other.csv")
