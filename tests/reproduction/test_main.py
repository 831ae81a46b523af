import json
from pathlib import Path

import pytest

from reproduction.__main__ import app
from thresher.cli.main import run_app


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        run_app(app, list(words))
    return int(end.value.code or 0)


@pytest.mark.nightly
def test_a_figure_of_another_paper_has_its_claims_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("degenne2019", "--out", str(tmp_path), "--runs", "20", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [figure["name"] for figure in document["figures"]] == ["degenne2019"]
    assert [(claim["name"], claim["found"]) for claim in document["claims"]] == [("sticky-times", "holds")]
    assert (tmp_path / "degenne2019.png").is_file()
    assert "Figures and claims of the literature" in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize("words", [["figure-9"], ["toy", "--runs", "0"], ["--no-such-option"]])
def test_bad_input_is_a_sentence_and_exit_code_3(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words, "--out", str(tmp_path / "new")) == 3
    printed = capsys.readouterr()
    assert printed.err.startswith("thresher: ")
    assert "Traceback" not in printed.err
    assert not (tmp_path / "new").exists()
