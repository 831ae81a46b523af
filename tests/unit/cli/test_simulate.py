import json
from pathlib import Path
from typing import Any

import pytest

from thresher.cli.main import main
from thresher.research.simulation import Interrupted, simulate


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    """Compile what is used here; a command that compiles says so, in addition to what it prints."""
    simulate("linear:K=5", "apt", budgets=10, runs=1)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Any:
    """Give ``thresher simulate`` as a function of its words; it must end well, and gives what it printed."""

    def run(*words: object) -> tuple[str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["simulate", *(str(word) for word in words)])
        printed = capsys.readouterr()
        assert caught.value.code == 0, printed.err
        return printed.out, printed.err

    return run


SMALL = ("linear:K=5", "--policy", "lsa", "--policy", "apt", "--budget", 10, "--budget", 40, "--runs", 30, "--seed", 3)


def test_json_is_one_document_and_nothing_else(command: Any) -> None:
    out, err = command(*SMALL, "--json")
    document = json.loads(out)
    assert err == ""
    assert document["problem"] == {"name": "linear:K=5", "family": "gaussian", "arms": 5}
    assert (document["runs"], document["seed"]) == (30, 3)
    found = [(row["policy"], row["budget"]) for row in document["results"]]
    assert found == [("lsa", 10), ("lsa", 40), ("apt", 10), ("apt", 40)]


def test_the_command_says_what_python_says(command: Any) -> None:
    options = {"recommend": "peak", "loss": "gaps", "tolerance": 0.25, "stop_price": 0.01}
    words = [word for key, value in options.items() for word in ("--" + key.replace("_", "-"), value)]
    document = json.loads(command(*SMALL, *words, "--json")[0])
    result = simulate("linear:K=5", ["lsa", "apt"], budgets=[10, 40], runs=30, seed=3, **options)  # type: ignore[arg-type]
    assert document["results"] == result.to_dict()["results"]


def test_the_title_states_what_a_file_leaves_out(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arms.csv").write_text("arm,mean\nx,0.5\ny,-0.2\n")
    out, _ = command("arms.csv", "--budget", 10, "--runs", 3)
    told = "arms.csv: 2 arms, 3 runs, loss 'costs' (final); assumed: gaussian outcomes, sigma 1, bar 0"
    assert out.splitlines()[0] == told


def test_the_table_has_every_row(command: Any) -> None:
    out, err = command(*SMALL)
    title, head, *rows = out.splitlines()
    assert title == "linear:K=5: 5 arms, 30 runs, loss 'costs' (final)"
    assert head.split() == [
        "policy",
        "budget",
        "mean",
        "std.",
        "error",
        "25",
        "%",
        "median",
        "75",
        "%",
        "any",
        "mistake",
    ]
    result = simulate("linear:K=5", ["lsa", "apt"], budgets=[10, 40], runs=30, seed=3)
    for line, row in zip(rows, result.rows(), strict=True):
        assert line.split()[:4] == [row.policy, f"{row.budget:g}", f"{row.mean:.4g}", f"{row.stderr:.4g}"]
    assert err == ""


def test_long_names_and_budgets_are_shown_whole(command: Any) -> None:
    out, _ = command("linear:K=2", "--policy", "lsa:alpha=1.0000000000000002", "--budget", 123457.5, "--runs", 2)
    assert "lsa:alpha=1.0000000000000002" in out
    assert "123,457.5" in out


def test_markup_in_a_name_is_shown_as_it_is(command: Any, tmp_path: Path) -> None:
    path = tmp_path / "[red]x[.json"
    path.write_text('{"means": [1, 2]}')
    assert "[red]x[.json: 2 arms" in command(path, "--runs", 2)[0]


def test_without_policy_and_budget_there_are_defaults(command: Any) -> None:
    document = json.loads(command("linear:K=5", "--runs", 2, "--json")[0])
    assert [(row["policy"], row["budget"]) for row in document["results"]] == [
        ("stopping", budget) for budget in (25, 50, 100, 250)
    ]


def test_an_arm_on_its_bar_is_noted(command: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"means": [0.5, 0.0]}')
    assert (
        "Note: 1 arm(s) sit exactly on the bar (2): their mistakes count for nothing." in command(path, "--runs", 2)[1]
    )
    assert json.loads(command(path, "--runs", 2, "--json")[0])["notes"]


@pytest.mark.nightly("processes")
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_executors_say_the_same(command: Any, executor: str) -> None:
    plain = json.loads(command(*SMALL, "--json")[0])["results"]
    assert json.loads(command(*SMALL, "--json", "--executor", executor, "--workers", 2)[0])["results"] == plain


def test_results_are_kept_and_read_again(command: Any, tmp_path: Path) -> None:
    out = tmp_path / "results.db"
    first = json.loads(command(*SMALL, "--json", "--out", out)[0])
    assert out.is_file()
    assert json.loads(command(*SMALL, "--json", "--out", out)[0])["results"] == first["results"]


def test_the_picture_is_drawn_in_the_file_and_in_the_terminal(command: Any, tmp_path: Path) -> None:
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = tmp_path / f"p.{kind}"
        out, err = command(*SMALL, "--plot", path)
        assert path.read_bytes().startswith(start)
        assert "budget (log)" in out
        assert "a lsa   b apt" in out
        assert f"The picture is in {path}." in err
    path = tmp_path / "with-json.png"
    json.loads(command(*SMALL, "--plot", path, "--json")[0])
    assert path.is_file()


@pytest.mark.parametrize("command_words", [("simulate", *SMALL), ("theory", "linear:K=5"), ("plan", "linear:K=5")])
@pytest.mark.parametrize("picture", ["none/p.png", "p.foo"])
def test_a_picture_that_cannot_be_written_is_refused_before_any_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command_words: tuple[object, ...], picture: str
) -> None:
    def worked(*args: object, **kwargs: object) -> None:
        pytest.fail("work was done")

    for place in ("simulation.simulate", "simulation.plan", "theory.theory_of"):
        monkeypatch.setattr(f"thresher.research.{place}", worked)
    with pytest.raises(SystemExit) as caught:
        main([*map(str, command_words), "--plot", picture])
    assert caught.value.code == 3
    assert f"cannot write the picture {picture}: " in capsys.readouterr().err


def test_a_picture_without_an_ending_is_a_png_and_said_to_be_one(command: Any, tmp_path: Path) -> None:
    _, err = command(*SMALL, "--plot", tmp_path / "pic")
    assert f"The picture is in {tmp_path / 'pic.png'}." in err
    assert (tmp_path / "pic.png").is_file()


def test_with_a_stop_price_it_shows_what_was_spent_and_the_total_cost(command: Any) -> None:
    out, _ = command(*SMALL, "--stop-price", 0.01)
    _, head, *rows = out.splitlines()
    assert head.split()[12:] == ["spent", "std.", "error", "total", "cost", "std.", "error"]
    result = simulate("linear:K=5", ["lsa", "apt"], budgets=[10, 40], runs=30, seed=3, stop_price=0.01)
    for line, row in zip(rows, result.rows(), strict=True):
        assert row.total is not None
        assert row.total_stderr is not None
        shown = (row.spent, row.spent_stderr, row.total, row.total_stderr)
        assert line.split()[8:] == [f"{value:.4g}" for value in shown]
    assert "total" not in command(*SMALL, "--stop-price", 0.01, "--loss", "any")[0]


def test_one_run_claims_no_certainty(command: Any) -> None:
    words = ("linear:K=5", "--policy", "lsa", "--budget", 10, "--runs", 1)
    row = command(*words)[0].splitlines()[2]
    assert row.split()[3] == "–"
    assert json.loads(command(*words, "--json")[0])["results"][0]["stderr"] is None
    times = ("locatelli-1", "--policy", "hdoc", "--alpha", 0.1, "--runs", 1)
    assert command(*times)[0].splitlines()[2].split()[2] == "–"
    row = json.loads(command(*times, "--json")[0])["results"][0]
    assert (row["stderr"], row["spent_stderr"]) == (None, None)


def test_results_that_would_look_like_a_table_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["simulate", *map(str, SMALL), "--out", str(tmp_path / "new.csv")])
    assert caught.value.code == 3
    assert "new.csv would be a database of results" in capsys.readouterr().err
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize("with_file", [True, False])
def test_after_ctrl_c_it_shows_what_was_done_and_how_to_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, with_file: bool
) -> None:
    done = simulate("linear:K=5", "lsa", budgets=[10], runs=7, seed=3)

    def interrupted(*args: object, **kwargs: object) -> None:
        raise Interrupted(done)

    monkeypatch.setattr("thresher.research.simulation.simulate", interrupted)
    out = tmp_path / "results.db"
    with pytest.raises(SystemExit) as caught:
        main(["simulate", "linear:K=5", "--json", *(["--out", str(out)] if with_file else [])])
    printed = capsys.readouterr()
    assert caught.value.code == 130
    assert "Interrupted after 7 runs of every policy" in printed.err
    assert (f"Finished runs are in {out}: run the same command again to resume" in printed.err) == with_file
    assert json.loads(printed.out)["runs"] == 7
    assert "Traceback" not in printed.err


def test_a_table_of_arms_by_items_is_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("arm,item,value\n" + "a,x,1\na,y,1\na,z,0\nb,x,0\nb,y,0\nb,z,1\n")
    with pytest.raises(SystemExit) as ended:
        main(["simulate", f"{answers}:threshold=0.5", "--policy", "stopping", "--policy", "lsa:structure=pool",
              "--budget", "6", "--runs", "5", "--json"])  # fmt: skip
    assert ended.value.code == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    # Two equal answers of three decide an arm, so that not every run takes all six.
    assert [(row["policy"], row["mean"]) for row in rows] == [("stopping", 0.0), ("lsa:structure=pool", 0.0)]
    assert all(row["spent"] < 6.0 for row in rows)
    with pytest.raises(SystemExit) as ended:
        main(["simulate", f"{answers}:threshold=0.5", "--policy", "stopping:structure=shared", "--budget", "6"])
    assert ended.value.code == 3
    assert "unknown structure 'shared'" in capsys.readouterr().err


def test_a_control_takes_the_place_of_thresholds(command: Any, tmp_path: Path) -> None:
    table = tmp_path / "variants.csv"
    table.write_text("arm,mean\ntoday,0.0\nbetter,9.0\nworse,-9.0\n")
    words = table, "--control", "today", "--margin", "-2%", "--budget", 30, "--runs", 5, "--json"
    out, _ = command(*words)
    document = json.loads(out)
    assert document["problem"] == {
        "name": "variants.csv", "family": "gaussian", "arms": 3, "control": "today", "margin": "-2%",
    }  # fmt: skip
    assert document["results"][0]["mean"] == 0.0


def test_a_simulation_that_takes_days_is_refused_with_the_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "linear", "--budget", "1e12", "--workers", "2"]
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 3
    said = capsys.readouterr().err
    assert "1,000 runs with a budget of 1,000,000,000,000 take about 290 days" in said
    assert "add --yes" in said
