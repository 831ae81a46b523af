"""``thresher token``: made once, listed without secrets, revoked."""

import json
import os
import pty
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.support.service_place import served
from tests.support.service_process import keyring_of
from thresher.campaign.storage import MemoryStorage, open_storage
from thresher.cli.main import main
from thresher.service import Caller, create_app


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database that the command finds by itself."""
    address = f"sqlite:///{tmp_path}/c.db"
    monkeypatch.setenv("THRESHER_DB", address)
    return address


def call(*words: str) -> int:
    """Run the command; return its exit code."""
    with pytest.raises(SystemExit) as left:
        main(["token", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


def whose(db: str, text: str) -> Caller | None:
    """Return whom a service over the database would take the bearer for."""
    storage = open_storage(db)
    try:
        return keyring_of(storage).check(text, kind="token")
    finally:
        storage.close()


def test_a_token_is_printed_alone_and_opens_until_it_is_revoked(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("new", "--scope", "work", "--campaign", "c", "--label", "ci") == 0
    printed = capsys.readouterr()
    [token] = printed.out.split()
    assert token not in printed.err
    name = token.split("_")[1]
    assert whose(db, token) == Caller(name, "work", "c")
    assert call("revoke", name, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"revoked": name}
    assert whose(db, token) is None
    assert call("revoke", name) == 3


def test_the_list_has_every_token_and_no_secret(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = []
    for scope in ("read", "admin"):
        assert call("new", "--scope", scope, "--label", f"of {scope}", "--json") == 0
        tokens.append(json.loads(capsys.readouterr().out)["token"])
    assert call("list", "--json") == 0
    printed = capsys.readouterr().out
    rows = json.loads(printed)["tokens"]
    assert [(row["id"], row["kind"], row["scope"], row["label"]) for row in rows] == [
        (token.split("_")[1], "token", scope, f"of {scope}")
        for token, scope in zip(tokens, ("read", "admin"), strict=True)
    ]
    assert call("list") == 0
    printed += capsys.readouterr().out
    assert "of admin" in printed
    assert [token for token in tokens if token.split("_", 2)[2] in printed] == []


def test_a_code_opens_a_session_once(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("code") == 0
    code = capsys.readouterr().out.strip()
    assert call("code", "--json") == 0
    other = json.loads(capsys.readouterr().out)
    storage = open_storage(db)
    keyring = keyring_of(storage)
    assert [keyring.open_session(code) is not None for _ in range(2)] == [True, False]
    assert other["scope"] == "admin"
    assert keyring.open_session(other["code"]) is not None
    storage.close()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new", "--scope", "wrok"], "did you mean 'work'"),
        (["new", "--scope", "work"], "one campaign"),
        (["new", "--scope", "read", "--campaign", "c"], "one campaign"),
        (["new", "--label", "x" * 101], "label"),
        (["revoke", "nobody"], "nobody"),
        (["revoke", ""], "token id is ''"),
    ],
)
@pytest.mark.usefixtures("db")
def test_what_makes_no_sense_is_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert call(*words) == 3
    assert sentence in capsys.readouterr().err


def test_an_empty_id_leaves_every_token(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert call("new", "--scope", "admin") == 0
    tokens = capsys.readouterr().out.split()
    assert call("revoke", "") == 3
    assert all(whose(db, token) for token in tokens)


@pytest.fixture
def logged_in(db: str) -> str:
    """A token that opened two sessions."""
    storage = open_storage(db, create=True)
    keyring = keyring_of(storage)
    token = keyring.new_token("admin")
    assert all(keyring.open_session(token) for _ in range(2))
    storage.close()
    return token


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The user's end of a terminal from which the command reads."""
    user, command = pty.openpty()
    with os.fdopen(command, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield user
    os.close(user)


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_more_than_one_is_not_revoked_without_a_terminal_or_yes(
    db: str, logged_in: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    with Path(os.devnull).open(encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert call("revoke", logged_in.split("_")[1], *words) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "ends 2 sessions" in printed.err
    assert "--yes" in printed.err
    assert whose(db, logged_in)


def test_yes_revokes_a_token_with_its_sessions(db: str, logged_in: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = logged_in.split("_")[1]
    assert call("revoke", name, "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"revoked": name}
    assert call("list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"tokens": []}


@pytest.mark.parametrize(("typed", "code"), [(b"y\n", 0), (b"Yes\n", 0), (b"\n", 3), (b"n\n", 3), (b"\x04", 3)])
def test_on_a_terminal_it_asks_first(
    db: str, logged_in: str, terminal: int, capsys: pytest.CaptureFixture[str], typed: bytes, code: int
) -> None:
    os.write(terminal, typed)
    assert call("revoke", logged_in.split("_")[1], "--json") == code
    printed = capsys.readouterr()
    assert "ends 2 sessions" in printed.err
    assert (whose(db, logged_in) is None) == (code == 0)
    assert bool(printed.out) == (code == 0)


def test_a_token_lives_as_long_as_it_is_told_to(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("new", "--days", "0.5") == 0
    assert call("list", "--json") == 0
    [row] = json.loads(capsys.readouterr().out.splitlines()[-1])["tokens"]
    lasts = datetime.fromisoformat(row["expires"]) - datetime.fromisoformat(row["made"])
    assert lasts == timedelta(hours=12)
    assert call("new", "--days", "0") == 3
    assert "days is 0; must be above 0 and at most 3650" in capsys.readouterr().err


def test_a_token_for_a_campaign_that_is_not_there_comes_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)
    for name, has_note in (("coins", False), ("cions", True)):
        with pytest.raises(SystemExit) as left:
            main(["new", "coins", "-a", "x", "-t", "0.5", "-b", "9"])
        with pytest.raises(SystemExit) as left:
            main(["token", "new", "--scope", "work", "--campaign", name])
        printed = capsys.readouterr()
        assert left.value.code == 0
        assert (f"Note: there is no campaign {name!r} yet" in printed.err) == has_note


def test_the_tokens_of_a_service_by_its_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = create_app(MemoryStorage())
    monkeypatch.setenv("THRESHER_TOKEN", app.state.keyring.new_token("admin"))
    with served(app) as address:
        monkeypatch.setenv("THRESHER_DB", address)
        assert call("new", "--scope", "read", "--label", "there", "--days", "2") == 0
        text = capsys.readouterr().out.strip()
        caller = app.state.keyring.check(text, kind="token")
        assert caller is not None
        app.state.keyring.open_session(text)
        assert call("list", "--json") == 0
        rows = json.loads(capsys.readouterr().out)["tokens"]
        assert [(row["kind"], row["label"]) for row in rows][1:] == [("token", "there"), ("session", "there")]
        made, expires = (datetime.fromisoformat(rows[1][key]) for key in ("made", "expires"))
        assert expires - made == timedelta(days=2)
        assert call("revoke", caller.token) == 3
        assert "also ends 1 session that it opened" in capsys.readouterr().err
        assert call("revoke", caller.token, "--yes") == 0
        assert call("revoke", caller.token) == 3
        assert "unknown token" in capsys.readouterr().err
        assert call("new", "--scope", "work") == 3
        assert call("code") == 3
        assert f"--db is {address!r}; must be the database of the service" in capsys.readouterr().err
    assert [row.kind for row in app.state.keyring.rows()] == ["token"]
