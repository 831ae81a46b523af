"""The marks that leave tests out by day, and many cases in one test."""

from pathlib import Path

import pytest

from tests.support.cases import check_each
from tests.support.nightly import check_marks, is_nightly

SUITE = """
import pytest

@pytest.mark.nightly
def test_whole(): ...

@pytest.mark.nightly("b")
@pytest.mark.parametrize("case", ["a", "b"])
def test_but_one(case): ...

@pytest.mark.by_day("a")
@pytest.mark.parametrize("case", ["a", "b", "c"])
def test_one(case): ...

@pytest.mark.parametrize("case", ["a", pytest.param("b", marks=pytest.mark.nightly)])
def test_a_parameter(case): ...

def test_plain(): ...
"""


class Collector:
    """Keeps the tests that pytest collects."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.items = list(items)


def collected(folder: Path, suite: str) -> list[pytest.Item]:
    """Return the tests of a suite."""
    (folder / f"test_in_{folder.name}.py").write_text(suite)  # pytest imports a name once
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  nightly\n  by_day\n")
    kept = Collector()
    others = [f"-pno:{name}" for name in ("thresher", "cacheprovider", "xdist", "asyncio", "randomly")]
    assert pytest.main(["--collect-only", "-q", "--import-mode=importlib", *others, str(folder)], plugins=[kept]) == 0
    return kept.items


def test_by_day_a_test_runs_unless_a_mark_leaves_it_or_its_case_out(tmp_path: Path) -> None:
    items = collected(tmp_path, SUITE)
    check_marks(items)
    assert [item.name for item in items if not is_nightly(item)] == [
        "test_but_one[a]",
        "test_one[a]",
        "test_a_parameter[a]",
        "test_plain",
    ]


def test_a_mark_that_names_no_case_is_an_error(tmp_path: Path) -> None:
    items = collected(tmp_path, SUITE.replace('by_day("a")', 'by_day("a", "z")'))
    with pytest.raises(pytest.UsageError, match=r"test_one': \['z'\]"):
        check_marks(items)


def test_every_case_is_checked_and_all_that_fail_are_named() -> None:
    def check(value: int) -> None:
        assert value % 2 == 0

    check_each({"two": 2, "four": 4}, check)
    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed: one, three") as raised:
        check_each({"one": 1, "two": 2, "three": 3}, check)
    assert [error.__notes__ for error in raised.value.exceptions] == [["in the case 'one'"], ["in the case 'three'"]]
