"""Wrong inputs over all commands: each gets a sentence and exit code 3, stores nothing, and is on the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.wrong_inputs import CASES, answer_to, first_line, page, prepare
from thresher.campaign import Campaign, Standing

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "wrong-inputs.md"
# Of the page; a run keeps its campaign, so that the next one goes on, and a worker gives its ticket back.
CHANGES = ("run ", "work ")

pytestmark = pytest.mark.xdist_group("wrong-inputs")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files and a campaign."""
    folder = tmp_path_factory.mktemp("wrong").resolve()
    prepare(folder)
    yield folder
    assert answer_to("verify coins", folder)[0] == 0


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, tuple[int, str]]:
    """The exit code and what was printed, for each wrong input; none of them has changed anything."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("THRESHER_DB", raising=False)
        for line in CASES:
            before = standings(folder)
            found[line] = answer_to(line, folder)
            assert line.startswith(CHANGES) or standings(folder) == before, line
    return found


def standings(folder: Path) -> list[Standing]:
    return Campaign.list(f"sqlite:///{folder}/thresher.db")


def test_there_are_a_hundred() -> None:
    assert len(CASES) == len({*CASES}) >= 100


def test_a_wrong_input_gets_a_sentence(answers: dict[str, tuple[int, str]]) -> None:
    for line, (code, said) in answers.items():
        assert (code, bool(first_line(said))) == (3, True), (line, said)
        assert "Traceback" not in said, line
        assert "hunter2" not in said, line


def test_few_inputs_share_a_message(answers: dict[str, tuple[int, str]]) -> None:
    assert len({first_line(said) for _, said in answers.values()}) >= 0.8 * len(CASES)


def test_the_page_says_what_each_gets(answers: dict[str, tuple[int, str]]) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(answers)
