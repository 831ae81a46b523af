import gzip
from pathlib import Path

import pytest

from benchmarks.recorded_data import (
    BIRDS,
    FLAKY_TESTS,
    LANGUAGE_MODELS,
    bird_images,
    flaky_tests,
    language_models,
    recorded_entries,
)
from thresher.errors import ExperimentError

MODELS = "benchmark,model,item,correct\ngsm,a,0,1\ngsm,a,1,0\ngsm,b,0,1\ngsm,b,1,1\nmath-l5,a,0,0\n"
LABELS = "task,item,worker,label,gold\nbluebird,0,0,1,1\nbluebird,0,1,1,1\nbluebird,0,2,0,1\nduck,0,0,1,1\n"
FAILURES = (
    "row,project,fails,runs,group\n1,p,0,10000,1\n2,p,20,10000,2\n3,p,20,10000,2\n4,q,500,10000,2\n5,q,10000,10000,3\n"
)


def write(folder: Path, name: str, text: str) -> None:
    with gzip.open(folder / name, "wt", encoding="utf-8") as file:
        file.write(text)


def test_models_answer_the_questions_of_one_benchmark_each_once(tmp_path: Path) -> None:
    write(tmp_path, LANGUAGE_MODELS, MODELS)
    problem = language_models(tmp_path, "gsm", bar=0.9)
    assert problem.arms == ("a", "b")
    assert problem.means.tolist() == [0.5, 1.0]
    assert problem.is_above.tolist() == [False, True]
    assert (problem.name, problem.family) == ("gsm", "bernoulli")
    assert problem.pool is not None
    assert not problem.pool.replacement


def test_images_are_judged_by_the_labels_of_their_task(tmp_path: Path) -> None:
    write(tmp_path, BIRDS, LABELS)
    problem = bird_images(tmp_path)
    assert problem.means.tolist() == [pytest.approx(2 / 3)]
    assert problem.thresholds.tolist() == [0.5]


def test_one_flaky_test_stands_for_its_group_and_steady_ones_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, FLAKY_TESTS, FAILURES)
    problem = flaky_tests(tmp_path)
    assert problem.arms == ("p/2", "q/2")
    assert problem.means.tolist() == [0.002, 0.05]
    assert problem.is_above.tolist() == [False, True]


def test_a_file_that_is_not_what_it_should_be_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"cannot read .*llm_zeroeval"):
        language_models(tmp_path, "gsm", bar=0.9)
    (tmp_path / BIRDS).write_text("not compressed")
    with pytest.raises(ExperimentError, match=r"cannot read .*crowd_birds"):
        bird_images(tmp_path)
    write(tmp_path, LANGUAGE_MODELS, MODELS)
    with pytest.raises(ExperimentError, match="no rows of 'arc'"):
        language_models(tmp_path, "arc", bar=0.9)


def test_the_league_gets_four_problems_with_four_budgets(tmp_path: Path) -> None:
    write(tmp_path, LANGUAGE_MODELS, MODELS)
    write(tmp_path, BIRDS, LABELS)
    write(tmp_path, FLAKY_TESTS, FAILURES)
    entries = recorded_entries(tmp_path, "all")
    assert [entry.problem.name for entry in entries] == ["gsm", "math-l5", "bluebird", "flaky-tests"]
    assert [(len(entry.budgets), entry.lineup) for entry in entries] == [(4, "all")] * 4


def test_a_folder_without_the_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="cannot read"):
        recorded_entries(tmp_path)
