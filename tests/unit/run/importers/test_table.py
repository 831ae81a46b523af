"""Tables: where a row stands, and that a log which has grown says the same of its old rows."""

import tracemalloc
from hashlib import sha256
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
import pytest

from thresher.errors import InvalidOutcomeError
from thresher.run.importers.table import TableRecords, read, read_csv, read_parquet


def test_a_row_of_a_csv_file_knows_its_line(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text('arm,outcome,note\na,1,"two\nlines"\nb,0,\n')
    records = list(read_csv(tmp_path / "runs.csv").records)
    assert [record.place for record in records] == ["runs.csv line 2", "runs.csv line 4"]
    assert records[1].cells == {"arm": "b", "outcome": "0", "note": ""}


def test_equal_rows_have_the_same_hash_wherever_they_are(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("arm,outcome\na,1\na,0\na,1\n")
    other.write_text("outcome,arm\n0,a\n1,a\n1,b\n")
    a_1, a_0, again = (record.line for record in read_csv(one).records)
    assert (a_1 == again, a_1 == a_0) == (True, False)
    assert [record.line for record in read_csv(other).records][:2] == [a_0, a_1]


def test_the_ids_of_earlier_versions_are_a_chain_over_the_rows(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\n")
    records = read_csv(tmp_path / "runs.csv").records
    assert isinstance(records, TableRecords)
    digest = sha256(b"[('arm', 'a'), ('outcome', '1')]").hexdigest()
    assert list(records.chained_ids()) == [f"table {digest}"]


def test_a_parquet_file_says_what_a_csv_file_does(tmp_path: Path) -> None:
    table = pyarrow.table({"arm": ["a", "b"], "outcome": [0.5, 1.0]})
    pyarrow.parquet.write_table(table, tmp_path / "runs.parquet")
    records = read_parquet(tmp_path / "runs.parquet").records
    assert [(record.place, dict(record.cells)) for record in records] == [
        ("runs.parquet row 1", {"arm": "a", "outcome": 0.5}),
        ("runs.parquet row 2", {"arm": "b", "outcome": 1.0}),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("arm,outcome\na,1\nb\n", "x.csv line 3 has 1 cells; give 2"),
        ("arm,outcome\na,1,2\n", "x.csv line 2 has 3 cells; give 2"),
        ('arm,outcome\n"a"b,1\n', "x.csv line 2: "),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InvalidOutcomeError, match=complaint):
        list(read_csv(tmp_path / "x.csv").records)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "x.parquet").write_bytes(b"PAR0")
    for reader, name in ((read_csv, "x.csv"), (read_csv, "absent.csv"), (read_parquet, "x.parquet")):
        with pytest.raises(InvalidOutcomeError, match=rf"{name}"):
            reader(tmp_path / name)


def test_a_parquet_file_with_a_value_that_python_cannot_hold_is_named(tmp_path: Path) -> None:
    years = pyarrow.array([2**62], pyarrow.timestamp("us"))
    pyarrow.parquet.write_table(pyarrow.table({"at": years}), tmp_path / "x.parquet")
    with pytest.raises(InvalidOutcomeError, match=r"cannot read .*x\.parquet"):
        list(read_parquet(tmp_path / "x.parquet").records)


@pytest.mark.parametrize("is_dictionary", [False, True])
def test_a_parquet_file_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path, is_dictionary: bool) -> None:
    # One name of 10,000 letters in 20,000 rows: less than 100 KB on disk, 200 MB when it is unpacked.
    names = pyarrow.DictionaryArray.from_arrays(numpy.zeros(20_000, numpy.int32), ["x" * 10_000])
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({"arm": names if is_dictionary else pyarrow.chunked_array([names]).cast(pyarrow.string())}), path
    )
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(InvalidOutcomeError, match=r"^\S*x.parquet is too large when it is unpacked; must be at most"):
        list(read_parquet(path, 1_000_000).records)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_json_objects_are_rows_and_keep_their_ids_when_the_log_grows_by_a_key(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    old = [{"prompt": "a", "scores": {"exact": True, "judge": {"mean": 0.5}}}, {"prompt": "b", "scores": {}}]
    new = [*old, {"prompt": "b", "seconds": 3}]
    log = read(path, new)
    assert [record.place for record in log.records] == [f"runs.jsonl object {i}" for i in (1, 2, 3)]
    assert log.columns == ["prompt", "scores.exact", "scores.judge.mean", "seconds"]
    records = list(log.records)
    assert records[1].cells == dict.fromkeys(log.columns) | {"prompt": "b"}
    assert [record.line for record in records[:2]] == [record.line for record in read(path, old).records]
