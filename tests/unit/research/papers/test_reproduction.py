import csv
from pathlib import Path

import pytest

from thresher.errors import ExperimentError, MissingExtraError, UnknownNameError
from thresher.research.papers import Reproduction, reproduce
from thresher.research.papers.claims import CLAIMS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduction, list[tuple[int, int]]]:
    steps: list[tuple[int, int]] = []
    out = tmp_path_factory.mktemp("figures") / "deep" / "er"
    whole = reproduce(
        ["toy", "figure-1"], out=out, runs=5, progress=lambda *step: steps.append(step), say=lambda _: None
    )
    return whole, steps


def test_each_figure_is_data_and_two_pictures(made: tuple[Reproduction, object]) -> None:
    out = made[0].out
    names = {path.name for path in out.iterdir()}
    figures = {"toy", "figure-1", "figure-1-ours"}
    assert names == {f"{name}.{kind}" for name in figures for kind in ("csv", "png", "svg")} | {
        "index.html",
        "claims.csv",
    }
    assert [each.figure.name for each in made[0].figures] == ["figure-1", "figure-1-ours", "toy"]


def test_the_claims_of_these_figures_are_checked_and_no_others(made: tuple[Reproduction, object]) -> None:
    checked = [each.claim.name for each in made[0].claims]
    assert checked == [name for name, claim in CLAIMS.items() if claim.figure in ("toy", "figure-1")]
    # With 5 runs for the figures a claim would hold or fail by chance: they are checked with more.
    assert all(each.agrees for each in made[0].claims)
    rows = list(csv.DictReader((made[0].out / "claims.csv").read_text().splitlines()))
    assert [row["claim"] for row in rows] == checked
    assert all(row["verdict"] == row["found"] for row in rows)


def test_progress_never_goes_back_and_ends_at_the_end(made: tuple[Reproduction, list[tuple[int, int]]]) -> None:
    steps = made[1]
    assert len({whole for _, whole in steps}) == 1
    done = [step for step, _ in steps]
    assert done == sorted(done)
    assert steps[-1][0] == steps[-1][1]


def test_an_unknown_figure_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="figure-9"):
        reproduce(["figure-9"], out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_directory_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExperimentError, match="give another directory"):
        reproduce(["toy"], out=tmp_path / "file")


def test_without_matplotlib_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="plots"):
        reproduce(["toy"], out=tmp_path)
