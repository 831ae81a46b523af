import json
from typing import Any

import pytest

from thresher.cli.main import main
from thresher.experiment import stopping_times

WORDS = ("kano-2", "--policy", "hdoc", "--policy", "murphy", "--confidence", "0.05", "--runs", "5", "--seed", "2")


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile first, of which the command would tell."""
    stopping_times("kano-2", ["hdoc", "murphy"], confidence=0.05, runs=1, say=lambda _: None)


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
    assert out.startswith("kano-2: 6 arms, 5 runs, confidence 0.05\n")
    rows = [line.split() for line in out.splitlines()]
    assert [row[0] for row in rows if row][2:4] == ["hdoc", "murphy"]
    assert "any mistake" in out
    assert "Pulls until the first arm was output" in out


def test_json_is_the_document_of_python(command: Any) -> None:
    code, out, _ = command("simulate", *WORDS, "--json")
    assert code == 0
    document = json.loads(out)
    expected = json.loads(stopping_times("kano-2", ["hdoc", "murphy"], confidence=0.05, runs=5, seed=2).to_json())
    assert document["results"] == expected["results"]
    assert (document["problem"]["arms"], document["runs"], document["seed"], document["confidence"]) == (6, 5, 2, 0.05)


def test_a_budget_is_the_most_pulls_and_runs_that_end_there_are_told(command: Any) -> None:
    code, _, err = command("simulate", *WORDS, "--budget", "50")
    assert code == 0
    assert "100.0% of the runs of 'hdoc' ended at 50 pulls" in err
    assert "--budget" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--budget", "50", "--budget", "60"], "give one --budget"),
        (["--budget", "50.5"], "give one --budget"),
        (["--loss", "any"], "leave --loss out"),
        (["--recommend", "peak"], "leave --recommend out"),
        (["--tolerance", "0.1"], "leave --tolerance out"),
        (["--in-flight", "2"], "leave --in-flight out"),
        (["--stop-price", "0.1"], "leave --stop-price out"),
        (["--plot", "out.png"], "leave --plot out"),
        (["--policy", "lsa"], "type --budget instead of --confidence"),
    ],
)
def test_what_goes_with_a_budget_only_is_refused(command: Any, words: list[str], says: str) -> None:
    code, out, err = command("simulate", *WORDS, *words)
    assert (code, out) == (3, "")
    assert says in err


def test_without_a_confidence_the_sentence_says_what_to_type(command: Any) -> None:
    code, _, err = command("simulate", "kano-2", "--policy", "hdoc", "--budget", "100", "--runs", "2")
    assert code == 3
    assert "type --confidence 0.05" in err


def test_a_campaign_does_not_take_a_policy_that_stops_by_itself(command: Any, tmp_path: Any) -> None:
    words = ("--db", f"sqlite:///{tmp_path}/c.db", "--arm", "a", "--arm", "b", "--threshold", "0.5")
    code, _, err = command("new", "c", *words, "--family", "bernoulli", "--budget", "10", "--policy", "hdoc")
    assert code == 3
    assert "stops by itself" in err
    assert "'stopping'" in err
