"""Wrong inputs over all commands: each gets a sentence and exit code 3, stores nothing, and is on the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.wrong_inputs import CASES, answer_to, first_line, page, prepare

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "wrong-inputs.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files and a campaign."""
    folder = tmp_path_factory.mktemp("wrong").resolve()
    prepare(folder)
    yield folder
    assert answer_to("verify coins", folder)[0] == 0


def test_there_are_a_hundred() -> None:
    assert len(CASES) == len({*CASES}) >= 100


@pytest.mark.parametrize("line", CASES)
def test_a_wrong_input_gets_a_sentence(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THRESHER_DB", raising=False)
    before = answer_to("list --json --db sqlite:///thresher.db", folder)
    code, said = answer_to(line, folder)
    assert (code, bool(first_line(said))) == (3, True), said
    assert "Traceback" not in said
    assert "hunter2" not in said
    if not line.startswith(("run ", "work ")):  # a run keeps its campaign, and a worker gives its ticket back
        assert answer_to("list --json --db sqlite:///thresher.db", folder) == before


def test_the_page_says_what_each_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THRESHER_DB", raising=False)
    assert PAGE.read_text(encoding="utf-8") == page()
