import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from thresher.cli.main import main
from thresher.number_text import amount
from thresher.research.simulation import Interrupted, simulate

WORDS = ("kano-2", "--policy", "hdoc", "--policy", "murphy", "--alpha", "0.05", "--runs", "5", "--seed", "2")


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile first, of which the command would tell."""
    simulate("kano-2", ["hdoc", "murphy"], alpha=0.05, runs=1, say=lambda _: None)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Any:
    """Give ``thresher`` as a function of its words: exit code, output, complaint."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(list(words))
        printed = capsys.readouterr()
        code = caught.value.code
        assert isinstance(code, int)
        return code, printed.out, printed.err

    return run


def test_the_table_says_how_long_how_often_wrong_and_when_arms_were_output(command: Any) -> None:
    code, out, err = command("simulate", *WORDS)
    assert (code, err) == (0, "")
    assert out.startswith("kano-2: 6 arms, 5 runs, error rate 0.05\n")
    rows = [line.split() for line in out.splitlines()]
    result = simulate("kano-2", ["hdoc", "murphy"], alpha=0.05, runs=5, seed=2)
    for shown, row in zip(rows[2:4], result.rows(), strict=True):
        times = (row.spent, row.spent_stderr, row.spent_q25, row.spent_median, row.spent_q75)
        numbers = [amount(each, 4) for each in (*times, row.mean, row.stderr)]
        assert shown == [row.policy, *numbers, "any", "mistake"]
    assert "Pulls until the first arm was output" in out
    first = result.outputs("hdoc")[0]
    assert rows[7][:3] == ["hdoc", amount(first.mean, 4), f"({amount(first.stderr, 4)})"]


def test_json_is_the_document_of_python(command: Any) -> None:
    code, out, _ = command("simulate", *WORDS, "--json")
    assert code == 0
    document = json.loads(out)
    expected = json.loads(simulate("kano-2", ["hdoc", "murphy"], alpha=0.05, runs=5, seed=2).to_json())
    assert document["results"] == expected["results"]
    assert (document["problem"]["arms"], document["runs"], document["seed"], document["alpha"]) == (6, 5, 2, 0.05)


def test_a_budget_is_the_most_pulls_and_runs_that_end_there_are_told(command: Any) -> None:
    code, _, err = command("simulate", *WORDS, "--budget", "50")
    assert code == 0
    assert "100\u00a0% of the runs of 'hdoc' ended at 50 pulls" in err
    assert "--budget" in err


def without(words: Sequence[str], option: str) -> list[str]:
    """Return words without an option and its value."""
    place = words.index(option) if option in words else len(words)
    return [*words[:place], *words[place + 2 :]]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--budget", "50", "--budget", "60"], "the most pulls of a run; give one budget (--budget 10000), or none"),
        (["--budget", "50.5"], "the most pulls of a run; give one budget (--budget 10000), or none"),
        (["--loss", "any"], "leave loss (--loss) out"),
        (["--recommend", "peak"], "leave recommend (--recommend) out"),
        (["--tolerance", "0.1"], "leave tolerance (--tolerance) out"),
        (["--in-flight", "2"], "leave in_flight (--in-flight) out"),
        (["--delays", "random"], "leave delays (--delays) out"),
        (["--stop-price", "0.1"], "leave stop_price (--stop-price) out"),
        (["--policy", "lsa"], "give budgets (--budget) in place of alpha"),
        (["--alpha", "0"], "alpha is 0; must be an error rate between 0 and 1 (exclusive); alpha=0.05 (--alpha 0.05)"),
        (["--alpha", "2"], "alpha is 2; must be an error rate between 0 and 1 (exclusive)"),
    ],
)
def test_what_goes_with_a_budget_only_is_refused(command: Any, words: list[str], says: str) -> None:
    code, out, err = command("simulate", *without(WORDS, words[0]), *words)
    assert (code, out) == (3, "")
    assert says in err


def test_without_an_error_rate_the_sentence_says_what_to_type(command: Any) -> None:
    code, _, err = command("simulate", "kano-2", "--policy", "hdoc", "--budget", "100", "--runs", "2")
    assert code == 3
    assert "give an error rate: alpha=0.05 (--alpha 0.05)" in err


def test_the_former_name_of_the_option_is_unknown_and_the_new_one_suggested(command: Any) -> None:
    code, out, err = command("simulate", "kano-2", "--policy", "hdoc", "--confidence", "0.05")
    assert (code, out) == (3, "")
    assert "No such option: --confidence (Possible options: --alpha)" in err
    assert "--alpha" not in command("theory", "kano-2", "--confidence", "0.05")[2]


def test_the_picture_is_drawn_in_the_file_alone(command: Any, tmp_path: Path) -> None:
    picture = tmp_path / "times.png"
    code, out, err = command("simulate", *WORDS, "--plot", str(picture))
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"The picture is in {picture}." in err
    assert out == command("simulate", *WORDS)[1]


def test_results_are_kept_and_read_again(command: Any, tmp_path: Path) -> None:
    words = (*WORDS, "--json", "--out", str(tmp_path / "times.db"))
    first, again = (json.loads(command("simulate", *words)[1])["results"] for _ in range(2))
    assert first == again
    code, _, err = command("simulate", *without(words, "--alpha"), "--alpha", "0.1")
    assert code == 3
    assert "holds the results of another experiment (other alpha); give another file" in err


def test_after_ctrl_c_it_shows_what_was_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = simulate("kano-2", "hdoc", alpha=0.05, runs=3)

    def interrupted(*args: object, **kwargs: object) -> None:
        raise Interrupted(done)

    monkeypatch.setattr("thresher.research.simulation.simulate", interrupted)
    with pytest.raises(SystemExit) as caught:
        main(["simulate", *WORDS])
    printed = capsys.readouterr()
    assert caught.value.code == 130
    assert "Interrupted after 3 runs of every policy" in printed.err
    assert printed.out.startswith("kano-2: 6 arms, 3 runs, error rate 0.05\n")


def test_a_campaign_does_not_take_a_policy_that_stops_by_itself(command: Any, tmp_path: Any) -> None:
    words = ("--db", f"sqlite:///{tmp_path}/c.db", "--arm", "a", "--arm", "b", "--threshold", "0.5")
    code, _, err = command("new", "c", *words, "--family", "bernoulli", "--budget", "10", "--policy", "hdoc")
    assert code == 3
    assert "must not stop by itself" in err
    assert "'stopping'" in err
