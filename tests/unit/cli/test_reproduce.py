import json
from pathlib import Path

import pytest

from thresher.cli.main import main


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return int(end.value.code or 0)


def test_it_makes_the_figure_and_says_where_the_gallery_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "toy", "--out", str(tmp_path), "--runs", "5") == 0
    shown = capsys.readouterr().out
    assert "toy-printed-bound" in shown
    assert "does not hold" in shown
    assert str(tmp_path / "index.html") in shown
    assert (tmp_path / "toy.png").is_file()


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "toy", "--out", str(tmp_path), "--runs", "5", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"runs", "seed", "gallery", "figures", "claims"}
    assert [figure["name"] for figure in document["figures"]] == ["toy"]
    verdicts = {claim["name"]: (claim["verdict"], claim["found"]) for claim in document["claims"]}
    assert verdicts["toy-printed-bound"] == ("does not hold", "does not hold")


@pytest.mark.parametrize("words", [["figure-9"], ["toy", "--runs", "0"]])
def test_bad_input_is_a_sentence_and_exit_code_3(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("reproduce", *words, "--out", str(tmp_path)) == 3
    assert "Traceback" not in capsys.readouterr().err
