import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from thresher.errors import ExperimentError
from thresher.research.engine import RunCounts
from thresher.research.simulation.store import Store

IDENTITY = {"problem": "linear", "seed": 0, "version": "0.1.0"}


def counted(runs: int, seed: int = 0) -> RunCounts:
    """Return numbers that do not compress."""
    rng = np.random.default_rng(seed)
    return RunCounts(
        rng.random((runs, 2)),
        rng.random((runs, 2)),
        rng.integers(0, 10**9, (runs, 2)),
        rng.integers(0, 2, (runs, 2)),
        rng.integers(0, 10**9, (runs, 3)),
        rng.integers(0, 10**9, (2, 3)),
        rng.integers(0, 10**9, (2, 3)),
        rng.integers(0, 3, (runs, 2, 3), np.uint8),
        rng.random((runs, 3)),
    )


def opened(path: Path, **identity: object) -> Store[RunCounts]:
    """Return the store in a file."""
    return Store(path, RunCounts, identity=IDENTITY | identity, about={"python": "3"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file for results."""
    return tmp_path / "results.db"


def test_stored_results_are_read_back_bit_for_bit(path: Path) -> None:
    whole = counted(5)
    store = opened(path)
    assert store.get("lsa", 0, 5) is None
    store.put("lsa", 0, 5, whole)
    store.close()
    store = opened(path)
    kept = store.get("lsa", 0, 5)
    assert kept is not None
    for one, other in zip(kept, whole, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
    for place in (("fwt", 0, 5), ("lsa", 5, 5), ("lsa", 0, 4)):
        assert store.get(*place) is None
    store.close()


@pytest.mark.parametrize(
    ("key", "value"), [("seed", 1), ("problem", "quadratic"), ("version", "0.2.0"), ("asked", {"budgets": [1]})]
)
def test_results_of_another_experiment_are_refused_and_the_difference_named(
    path: Path, key: str, value: object
) -> None:
    opened(path).close()
    with pytest.raises(ExperimentError) as caught:
        opened(path, **{key: value})
    assert str(caught.value) == (
        f"{path} holds the results of another experiment (other {key}); give another file, or delete this one"
    )


@pytest.mark.parametrize("kept", ["thresher-results-1", "thresher-results-99"])
def test_a_file_of_another_format_is_refused_and_left_alone(path: Path, kept: str) -> None:
    opened(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE about SET value = ? WHERE key = 'format'", (kept,))
    db.close()
    before = path.read_bytes()
    with pytest.raises(ExperimentError) as caught:
        opened(path, seed=1)
    assert str(caught.value) == (
        f"{path} holds results in the format {kept!r} of another version; this one reads 'thresher-results-2'; "
        "give another file, or delete this one"
    )
    assert path.read_bytes() == before


def test_garbage_is_refused(path: Path) -> None:
    path.write_bytes(os.urandom(10_000))
    with pytest.raises(ExperimentError, match="does not hold results, or they are damaged: file is not a database"):
        opened(path)


def test_a_database_of_something_else_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(ExperimentError, match="is a database of something else; give another file"):
        opened(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_file_is_refused(path: Path, share: float) -> None:
    store = opened(path)
    for first in range(0, 100, 10):
        store.put("lsa", first, 10, counted(2000, first))
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ExperimentError, match="damaged: database disk image is malformed"):  # noqa: PT012
        store = opened(path)
        try:
            for first in range(0, 100, 10):
                store.get("lsa", first, 10)
        finally:
            store.close()


@pytest.mark.parametrize("damage", [b"nonsense", b""])
def test_a_damaged_piece_is_refused(path: Path, damage: bytes) -> None:
    store = opened(path)
    store.put("lsa", 0, 5, counted(5))
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE piece SET data = ?", (damage,))
    db.close()
    store = opened(path)
    with pytest.raises(ExperimentError, match="does not hold results, or they are damaged"):
        store.get("lsa", 0, 5)
    store.close()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="unable to open database file; give a file on a disk with room"):
        opened(tmp_path / "no" / "results.db")
    with pytest.raises(ExperimentError, match="unable to open database file"):
        opened(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 200 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small disk: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_is_named_and_what_was_kept_stays(small_disk: Path) -> None:
    path = small_disk / "results.db"
    store = opened(path)
    store.put("lsa", 0, 5, counted(5))
    with pytest.raises(ExperimentError, match="database or disk is full; give a file on a disk with room"):
        store.put("lsa", 5, 100_000, counted(100_000))
    store.close()
    store = opened(path)
    kept = store.get("lsa", 0, 5)
    assert kept is not None
    np.testing.assert_array_equal(kept.losses, counted(5).losses)
    assert store.get("lsa", 5, 100_000) is None
    store.close()


@pytest.mark.parametrize("name", ["new.csv", "new.JSON", "new.txt", "new.parquet"])
def test_a_name_that_promises_something_else_than_a_database_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        opened(tmp_path / name)
    assert f"{name} would be a database of results" in str(caught.value)
    assert f"name it {tmp_path / 'new.db'}; for the rows type --json > {tmp_path / 'new.json'}" in str(caught.value)
    assert list(tmp_path.iterdir()) == []
