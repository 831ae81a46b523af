"""``thresher theory`` as a user types it."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.cli.main import main
from thresher.research.simulation import simulate


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    captured = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, captured.out, captured.err


def test_json_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "theory", "linear:K=5", "--budget", 30, "--budget", 60, "--json")
    document = json.loads(out)
    assert code == 0
    assert [row["budget"] for row in document["results"]] == [30, 60]
    assert set(document["results"][0]) == {
        "budget", "oracle_bound", "oracle_loss", "static_optimum_loss", "lower_bound", "adaptive_limit",
        "integer_limit", "upper_bounds",
    }  # fmt: skip
    assert set(document["results"][0]["upper_bounds"]) == {"apt", "lsa", "fwt", "stopping"}


def test_the_table_shows_a_column_for_each_statement(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "theory", "linear:K=5", "--budget", 30, "--population", 0.5)
    assert code == 0
    for column in ("lower bound", "adaptive limit", "integer limit", "Bayes limit", "static-optimum", "fwt ≤"):
        assert {*column.split()} <= {*out.split()}
    assert "vacuous" in out, "a bound of 5 mistakes or more among 5 arms"


def test_a_note_explains_fractions_below_the_integer_limit(capsys: pytest.CaptureFixture[str]) -> None:
    note = "Note: static-optimum and oracle use fractions of measurements; the integer limit is for whole ones."
    assert " ".join(run(capsys, "theory", "linear:K=50", "--budget", 10)[2].split()) == note
    assert run(capsys, "theory", "linear:K=50", "--budget", 500)[2] == ""


def test_allocations_spend_the_budget(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "theory", "linear:K=5", "--budget", 30, "--allocation", "--json")
    for name in ("oracle", "static_optimum"):
        assert sum(json.loads(out)["allocations"][0][name]) == pytest.approx(30)


def test_the_picture_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "theory", "linear:K=5", "--plot", tmp_path / "theory.png")
    assert code == 0
    assert (tmp_path / "theory.png").stat().st_size > 10_000
    assert "theory.png" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["linaer"], "did you mean 'linear'"),
        (["linear:K=5", "--budget", "-3"], "positive"),
        (["linear:K=5", "--population", "0"], "positive"),
        (["linear:K=0"], "K is 0; must be at least 1"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_3(
    capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    code, out, err = run(capsys, "theory", *words)
    assert (code, out) == (3, "")
    assert says in err
    assert "Traceback" not in err


def test_of_a_pool_there_is_a_limit_and_of_shared_items_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, crossed = tmp_path / "samples.csv", tmp_path / "answers.csv"
    pool.write_text("arm,value\n" + "a,1\na,1\na,0\nb,0\nb,0\nb,1\n")
    crossed.write_text("arm,item,value\n" + "a,x,1\na,y,1\na,z,0\nb,x,0\nb,y,0\nb,z,1\n")
    _, out, _ = run(capsys, "theory", f"{pool}:threshold=0.5", "--budget", 4, "--json")
    (row,) = json.loads(out)["results"]
    assert 0.0 < row["adaptive_limit"] < 1.0
    assert row["oracle_bound"] is None
    code, out, err = run(capsys, "theory", f"{crossed}:threshold=0.5", "--budget", 4)
    assert code == 0
    assert "where arms share items no limit is known" in out + err
    assert "vacuous" not in out


def test_past_arms_and_scores_leave_less_of_the_variance_and_no_bound_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(5)
    hard = random.normal(size=60)
    truth, past = ((random.normal(size=(k, 60)) + 0.2 > hard).astype(int) for k in (4, 20))
    judge = np.where(random.random(truth.shape) < 0.9, truth, 1 - truth)
    for name, table in (("answers", truth), ("past", past), ("judge", judge)):
        lines = [f"{name if name == 'past' else 'm'}{k},q{i},{y}" for (k, i), y in np.ndenumerate(table)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["arm,item,value", *lines]))
    command = ("theory", f"{tmp_path / 'answers.csv'}:threshold=0.5", "--budget", 80)
    signals = ("--history", tmp_path / "past.csv", "--proxy", tmp_path / "judge.csv")
    rows = []
    for given in ((), signals[:2], signals):
        code, out, _ = run(capsys, *command, *given, "--json")
        assert code == 0
        rows.append(json.loads(out)["results"][0])
    assert 1.0 >= rows[0]["share_left"] > rows[1]["share_left"] > rows[2]["share_left"] > 0.0
    assert rows[0]["fixed_allocation_loss"] > rows[1]["fixed_allocation_loss"] > rows[2]["fixed_allocation_loss"] > 0.0
    assert {rows[2][key] for key in ("oracle_bound", "lower_bound", "adaptive_limit", "static_optimum_loss")} == {None}
    _, out, err = run(capsys, *command, *signals)
    assert "items and past arms and scores leave" in (out + err).replace("\n", " ")
    assert "not a bound" in (out + err).replace("\n", " ")
    code, _, err = run(capsys, *command, "--allocation")
    assert (code, "--allocation is True; must be left out where items are drawn without replacement" in err) == (
        3,
        True,
    )
    code, _, err = run(capsys, "theory", "linear", "--proxy", tmp_path / "judge.csv", "--budget", 80)
    assert (code, "must come with items" in err) == (3, True)


def test_with_a_control_only_limits_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "theory", "linear:K=5", "--control", "3", "--margin", "-2%", "--budget", 31, "--json")
    row = json.loads(out)["results"][0]
    assert code == 0
    assert 0.0 < row["adaptive_limit"] <= row["integer_limit"]
    assert (row["oracle_bound"], row["static_optimum_loss"]) == (None, None)
    assert set(row["upper_bounds"].values()) == {None}
    assert json.loads(out)["problem"]["control"] == "3"
    code, out, err = run(capsys, "theory", "linear:K=5", "--control", "3", "--budget", 31)
    assert "given the control's mean" in out + err
    code, _, err = run(capsys, "theory", "linear:K=5", "--control", "3", "--budget", 31, "--allocation")
    assert (code, "--allocation is True; must be left out with a control" in err) == (3, True)


def test_runs_show_how_far_stopping_is_from_each_limit(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("theory", "linear:K=5", "--budget", 30, "--budget", 60, "--runs", 50, "--seed", 1)
    code, out, _ = run(capsys, *words, "--json")
    assert code == 0
    result = simulate("linear:K=5", "stopping", budgets=[30, 60], runs=50, seed=1)
    for row, made in zip(json.loads(out)["results"], result.rows(), strict=True):
        assert row["stopping"]["mean"] == made.mean
        assert set(row["stopping"]["over"]) == {"adaptive_limit", "integer_limit"}
        assert row["stopping"]["over"]["integer_limit"] == pytest.approx(made.mean / row["integer_limit"])
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "over integer limit" in out


@pytest.mark.nightly("beta-population:K=5,threshold=0.3-bayes_limit")
@pytest.mark.parametrize(
    ("problem", "limit"),
    [
        ("gaussian-population:K=5,mean=0.4,tau=0.5", "bayes_limit"),
        ("beta-population:K=5,threshold=0.3", "bayes_limit"),
        ("pool:K=5,N=9", "adaptive_limit"),
    ],
)
def test_populations_and_pools_have_a_distance_too(
    problem: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "theory", problem, "--budget", 10, "--runs", 20, "--json")
    assert code == 0
    assert list(json.loads(out)["results"][0]["stopping"]["over"]) == [limit]


def test_a_population_that_is_only_assumed_has_no_distance(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "theory", "linear:K=5", "--budget", 30, "--population", 0.5, "--runs", 20, "--json")
    row = json.loads(out)["results"][0]
    assert row["bayes_limit"] > 0.0
    assert set(row["stopping"]["over"]) == {"adaptive_limit", "integer_limit"}
