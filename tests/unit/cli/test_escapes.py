"""What a command echoes gives no orders to a terminal, whatever it was given."""

import unicodedata
from pathlib import Path

import pytest

from tests.support.hostile.injection import ESCAPES
from thresher.cli.main import main

PLACES = {
    "a command": ["{}"],
    "an option": ["simulate", "linear", "--{}"],
    "a problem": ["simulate", "{}"],
    "a parameter": ["simulate", "linear:K={}"],
    "a policy": ["simulate", "linear", "--policy", "{}", "--budget", "100"],
    "a number": ["simulate", "linear", "--budget", "{}"],
    "a database": ["list", "--db", "sqlite:///{}.db"],
    "another database": ["list", "--db", "{}://x"],
    "a service": ["list", "--db", "http://{}"],
    "a campaign": ["verdicts", "{}", "--db", "sqlite:///c.db"],
    "a ticket": ["tell", "{}", "1", "c", "--db", "sqlite:///c.db"],
    "a spec": ["run", "{}.toml"],
    "a scope": ["token", "new", "--scope", "{}", "--db", "sqlite:///c.db"],
    "a label": ["token", "new", "--label", "{}", "--db", "sqlite:///c.db"],
    "a token": ["token", "revoke", "{}", "--db", "sqlite:///c.db"],
    "a host": ["serve", "--host", "{}"],
    "a public address": ["serve", "--public-url", "{}"],
    "a log level": ["serve", "--log-level", "{}"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Work in a folder with one campaign."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["new", "c", "--arm", "a", "--arm", "b", "--threshold", "0.5", "--budget", "9", "--db", "sqlite:///c.db"])
    capsys.readouterr()
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("place", PLACES)
def test_no_order_reaches_the_terminal(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    # Each text in one of the places; all in all of them takes two minutes.
    words, which = PLACES[place], list(PLACES).index(place)
    for text in ("\x1b[31m", *ESCAPES[which :: len(PLACES)]):
        with pytest.raises(SystemExit) as left:
            main([word.format(text) for word in words])
        printed = capsys.readouterr()
        assert left.value.code == 3, printed.err
        said = printed.out + printed.err
        assert [letter for letter in said if letter != "\n" and unicodedata.category(letter) == "Cc"] == [], text


def test_hidden_and_bidirectional_characters_of_names_are_shown_as_codes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign, arm = "safe\u202egpj", "pay\u200bpal"
    lines = [
        ["new", campaign, "--arm", arm, "--arm", "b", "--bar", "0.5", "--budget", "9"],
        ["list"], ["ask", campaign], ["verdicts", campaign], ["verify", campaign], ["verdicts", "other"],
    ]  # fmt: skip
    shown = ""
    for words in lines:
        with pytest.raises(SystemExit):
            main([*words, "--db", f"sqlite:///{folder}/d.db"])
        printed = capsys.readouterr()
        shown += printed.out + printed.err
    assert "safe\\u202egpj" in shown
    assert "pay\\u200bpal" in shown
    assert [letter for letter in shown if unicodedata.category(letter) in ("Cf", "Zl", "Zp")] == []
