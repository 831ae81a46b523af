"""Logs that inspect_ai wrote; data/README.md says how."""

import contextlib
import json
import random
import re
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from thresher.errors import InvalidOutcomeError
from thresher.run.importers import Columns, inspect_ai, read_log
from thresher.run.importers.inspect_ai import read_eval

DATA = Path(__file__).parent / "data"


def told(columns: Columns | None = None, name: str = "inspect.eval") -> tuple[list[tuple[str, float]], int]:
    outcomes, left_out = read_log(DATA / name, columns)
    return [(one.arm, one.value) for one in outcomes], left_out


def test_a_model_is_an_arm_and_the_only_score_its_outcome() -> None:
    # Four sums in two epochs; 5+4 is answered with seven, so three of four are right in each.
    outcomes, left_out = told()
    assert outcomes == [("echo/small", value) for value in (1.0, 1.0, 0.0, 1.0) * 2]
    assert left_out == 0


def test_a_sample_may_be_an_arm() -> None:
    outcomes, _ = told(Columns(arm=("task", "sample")))
    assert sorted(outcomes)[:4] == [(f"task=sums sample=q{i}", 1.0) for i in (1, 1, 2, 2)]
    assert [value for arm, value in outcomes if arm.endswith("q3")] == [0.0, 0.0]


def test_the_json_log_says_the_same_as_the_archive_would() -> None:
    assert told(name="inspect.json") == ([("echo/small", 0.0), ("echo/small", 1.0)], 0)


def test_every_sample_and_epoch_is_told_apart() -> None:
    outcomes, _ = read_log(DATA / "inspect.eval")
    assert len({one.hash for one in outcomes}) == 8
    assert outcomes[2].place == "inspect.eval sample 'q3' epoch 1"


def test_a_log_that_was_interrupted_is_read_from_its_journal(tmp_path: Path) -> None:
    heading = {"eval_id": "e", "task": "t", "model": "m"}
    samples = [{"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}}}, {"id": 2, "epoch": 1, "error": "gone"}]
    with zipfile.ZipFile(tmp_path / "cut.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": heading}))
        archive.writestr("_journal/summaries/1.json", json.dumps(samples))
    outcomes, left_out = read_log(tmp_path / "cut.eval")
    assert [(one.arm, one.value) for one in outcomes] == [("m", 1.0)]
    assert left_out == 1


def test_several_scores_are_to_be_chosen_from(tmp_path: Path) -> None:
    scores = {"judge": {"value": {"style": 0.25, "truth": "P"}}, "exact": {"value": "I"}}
    log = {
        "eval": {"eval_id": "e", "task": "t", "model": "m"},
        "samples": [{"id": 1, "epoch": 1, "scores": scores}],
    }
    (tmp_path / "log.json").write_text(json.dumps(log))
    with pytest.raises(InvalidOutcomeError, match=r"several outcomes; choose one .*judge.style, judge.truth, exact"):
        read_log(tmp_path / "log.json")
    found = [read_log(tmp_path / "log.json", Columns(outcome=c))[0][0].value for c in ("judge.truth", "exact")]
    assert found == [0.5, 0.0]


def test_another_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(b"not an archive")
    with pytest.raises(InvalidOutcomeError, match="not a log of inspect_ai"):
        read_log(tmp_path / "x.eval")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"eval_id": "e", "task": "t", "model": "m"}}))
        archive.writestr("summaries.json", json.dumps([{"id": i, "epoch": 1} for i in range(50)]))
    whole, draws = path.read_bytes(), random.Random(1)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + draws.randbytes(1) + whole[place + 1 :])
        with contextlib.suppress(InvalidOutcomeError):  # any other error fails the test
            read_log(path)


HEADING = json.dumps({"eval": {"eval_id": "e", "task": "t", "model": "m"}})


def test_an_archive_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    # 50 MB of blanks in 50 KB: reading stops one byte after the limit. Members that share their bytes count each time.
    path, rule = tmp_path / "x.eval", "x.eval is too large when it is unpacked; must be at most 10,000 bytes; split it"
    for name, copies in (("summaries.json", 1), ("_journal/summaries/{}.json", 3)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", HEADING)
            for i in range(copies):
                archive.writestr(name.format(i), b"[" + b" " * (50_000_000 if copies == 1 else 5_000) + b"]")
        tracemalloc.start()
        with pytest.raises(InvalidOutcomeError, match=re.escape(rule)):
            read_eval(path, 10_000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 5_000_000
    assert read_eval(path, 20_000).records == []


def test_an_archive_of_too_many_parts_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_ai, "MOST_PARTS", 2)
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("_journal/start.json", HEADING)
        for i in range(3):
            archive.writestr(f"_journal/summaries/{i}.json", "[]")
    with pytest.raises(InvalidOutcomeError, match=r"has 3 parts under _journal/summaries/; must be at most 2; write"):
        read_log(tmp_path / "x.eval")


def test_a_compression_that_chooses_its_own_memory_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.eval", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("header.json", HEADING)
        archive.writestr("summaries.json", "[]")
    with pytest.raises(InvalidOutcomeError, match=r"header\.json has compression type 14, not Deflate or Zstandard"):
        read_log(tmp_path / "x.eval")


def test_a_nested_archive_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("header.json", "[" * 100_000)
    with pytest.raises(InvalidOutcomeError, match="not a log of inspect_ai"):
        read_log(tmp_path / "x.eval")
