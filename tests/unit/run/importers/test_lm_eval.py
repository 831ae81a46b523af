"""Samples that lm-evaluation-harness wrote; data/README.md says how."""

import json
import shutil
from pathlib import Path

import pytest

from thresher.errors import InvalidOutcomeError
from thresher.run.importers import Columns, map_log, read_log

DATA = Path(__file__).parent / "data"
[SAMPLES] = DATA.glob("samples_sums_*.jsonl")
[RESULTS] = DATA.glob("results_*.json")


def test_the_model_in_the_results_next_to_it_is_the_arm() -> None:
    found = map_log(SAMPLES, Columns(outcome="acc", item=("doc_id",)))
    values = [json.loads(line)["acc"] for line in SAMPLES.read_text().splitlines()]
    assert [(one.arm, one.item, one.value) for one in found.outcomes] == [
        ("demo/small", str(i), value) for i, value in enumerate(values)
    ]
    assert (found.log.format, len({one.hash for one in found.outcomes})) == ("lm-eval", 4)
    assert sum(values) / 4 == json.loads(RESULTS.read_text())["results"]["sums"]["acc,none"]


def test_several_metrics_are_to_be_chosen_from() -> None:
    with pytest.raises(InvalidOutcomeError, match=r"several outcomes; choose one by --outcome-column: .*acc, acc_norm"):
        read_log(SAMPLES)


def test_samples_without_their_results_need_the_name_of_the_arm(tmp_path: Path) -> None:
    alone = Path(shutil.copy(SAMPLES, tmp_path))
    with pytest.raises(InvalidOutcomeError, match="does not name the arm; name it by --arm, or choose its column"):
        read_log(alone, Columns(outcome="acc"))
    outcomes, _ = read_log(alone, Columns(outcome="acc", arm_name="small"))
    assert {one.arm for one in outcomes} == {"small"}
    outcomes, _ = read_log(alone, Columns(outcome="acc", arm=("task",)))
    assert {one.arm for one in outcomes} == {"sums"}


def test_answers_through_several_filters_are_different_arms(tmp_path: Path) -> None:
    # A task with two filters logs each document once for each of them.
    lines = [json.loads(line) for line in SAMPLES.read_text().splitlines()]
    both = [line | {"filter": name} for name in ("strict", "flexible") for line in lines]
    shutil.copy(RESULTS, tmp_path)
    (tmp_path / SAMPLES.name).write_text("\n".join(map(json.dumps, both)))
    outcomes, _ = read_log(tmp_path / SAMPLES.name, Columns(outcome="acc"))
    assert {one.arm for one in outcomes} == {"model=demo/small filter=strict", "model=demo/small filter=flexible"}
    kept, _ = read_log(tmp_path / SAMPLES.name, Columns(outcome="acc", leave_out=(("filter", "strict"),)))
    assert [one.arm for one in kept] == ["model=demo/small filter=flexible"] * 4
