"""Which reader a file gets."""

import zipfile
from pathlib import Path

import pytest

from thresher.errors import InvalidOutcomeError, UnknownNameError
from thresher.run.importers import Columns, read_log
from thresher.run.importers.formats import map_log

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("name", "word"), [("promptfoo.json", "True"), ("label-studio.json", "yes"), ("inspect.json", "1.0")]
)
def test_a_format_may_be_named_and_must_then_fit(name: str, word: str) -> None:
    own = name.removesuffix(".json")
    columns = Columns(success=(word,))
    assert [*read_log(DATA / name, columns, format=own)[0]] == [*read_log(DATA / name, columns)[0]]
    other = "promptfoo" if own != "promptfoo" else "inspect"
    with pytest.raises(InvalidOutcomeError, match=f"is not a log of {other}"):
        read_log(DATA / name, format=other)


def test_a_named_format_takes_precedence_over_the_ending(tmp_path: Path) -> None:
    assert [*read_log(DATA / "inspect.eval", format="inspect")[0]] == [*read_log(DATA / "inspect.eval")[0]]
    with pytest.raises(InvalidOutcomeError, match=r"inspect\.eval"):
        read_log(DATA / "inspect.eval", format="promptfoo")
    (tmp_path / "x.eval").write_text("arm,outcome\na,1\n")
    assert map_log(tmp_path / "x.eval", format="csv").log.format == "csv"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown format 'excel'"):
        read_log(DATA / "promptfoo.json", format="excel")


@pytest.mark.parametrize("text", ['{"results": []}', '{"eval": 5, "samples": []}'])
def test_a_document_of_no_known_tool_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(
        InvalidOutcomeError, match="is not a log of a known tool; choose by --format: csv, parquet, insp"
    ):
        read_log(tmp_path / "x.json")


def test_a_document_that_only_looks_like_a_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"evalId": "e", "results": {"results": [{"success": true}]}}')
    with pytest.raises(InvalidOutcomeError, match="not have the structure of promptfoo"):
        read_log(tmp_path / "x.json")


def test_the_samples_name_no_machine() -> None:
    for path in DATA.iterdir():
        assert path.stat().st_size < 30_000
        assert b"/tmp/" not in path.read_bytes()


def test_an_archive_that_only_looks_like_a_log_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(InvalidOutcomeError, match="not have the structure of eval"):
        read_log(tmp_path / "x.eval")
