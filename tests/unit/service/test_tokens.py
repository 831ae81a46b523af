"""Tokens: what is kept of them, what they open, how soon they stop to."""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from thresher.campaign.storage import MemoryStorage
from thresher.campaign.storage.tokens import TokenTable
from thresher.errors import InvalidInputError, UnknownNameError
from thresher.service import tokens
from thresher.service.tokens import Caller, Keyring


@pytest.fixture
def table() -> TokenTable:
    return TokenTable(MemoryStorage())


@pytest.fixture
def keyring(table: TokenTable) -> Keyring:
    return Keyring(table)


def test_of_a_token_only_its_hash_is_kept(keyring: Keyring, table: TokenTable) -> None:
    text = keyring.new_token("read")
    _, name, secret = text.split("_", 2)
    [row] = table.rows()
    assert len(secret) == 43  # 43 letters of 6 bits: 256 bits
    assert (row.id, row.digest) == (name, hashlib.sha256(secret.encode()).hexdigest())
    assert secret not in repr(row)


def test_no_two_tokens_are_alike(keyring: Keyring) -> None:
    assert len({keyring.new_token("admin") for _ in range(200)}) == 200


@pytest.mark.parametrize(
    ("scope", "campaign", "wanted", "where", "may"),
    [
        ("read", None, "read", "a", True),
        ("read", None, "read", None, True),
        ("read", None, "work", "a", False),
        ("read", None, "admin", "a", False),
        ("work", "a", "read", "a", True),
        ("work", "a", "work", "a", True),
        ("work", "a", "admin", "a", False),
        ("work", "a", "work", "b", False),
        ("work", "a", "read", "b", False),
        ("work", "a", "read", None, False),
        ("admin", None, "read", "a", True),
        ("admin", None, "work", "a", True),
        ("admin", None, "admin", None, True),
    ],
)
def test_what_each_scope_may_do(scope: str, campaign: str | None, wanted: str, where: str | None, may: bool) -> None:
    assert Caller("id", scope, campaign).may(wanted, where) is may


def test_only_the_whole_text_opens(keyring: Keyring) -> None:
    text = keyring.new_token("work", campaign="c")
    assert keyring.check(text, kind="token") == Caller(text.split("_")[1], "work", "c")
    wrong = [
        text[:-1],
        text + "x",
        text.upper(),
        text.replace("thresher", "thrasher"),
        "",
        "_",
        "__",
        "thresher__",
        "é",
    ]
    assert [keyring.check(one, kind="token") for one in wrong] == [None] * len(wrong)
    assert keyring.check("thresher_\ud800_x", kind="token") is None


def test_a_token_is_no_session_and_a_session_no_token(keyring: Keyring) -> None:
    text = keyring.new_token("admin")
    session = keyring.open_session(text)
    assert session is not None
    assert keyring.check(text, kind="session") is None
    assert keyring.check(session, kind="token") is None
    caller = keyring.check(session, kind="session")
    assert caller is not None
    assert caller.scope == "admin"


def test_a_remembered_token_is_no_session_and_a_remembered_session_no_token(keyring: Keyring) -> None:
    text = keyring.new_token("admin")
    session = keyring.open_session(text) or ""
    caller, visitor = keyring.check(text, kind="token"), keyring.check(session, kind="session")
    assert None not in (caller, visitor)
    assert keyring.recall(text, kind="token") == caller
    assert keyring.recall(session, kind="session") == visitor
    assert keyring.recall(text, kind="session") is None
    assert keyring.recall(session, kind="token") is None


def test_a_session_ends_with_the_token_that_opened_it() -> None:
    now = 0
    keyring = Keyring(TokenTable(MemoryStorage(now=lambda: now)))
    text = keyring.new_token("read", days=0.5)
    now = tokens.DAY // 4
    session = keyring.open_session(text) or ""
    now = tokens.DAY // 2 - 1
    assert keyring.check(text, kind="token")
    assert keyring.check(session, kind="session")
    now += 1
    assert keyring.check(text, kind="token") is None
    assert keyring.check(session, kind="session") is None


@pytest.mark.parametrize("days", [0, -1, 3651, float("nan"), float("inf")])
def test_a_token_of_another_lifetime_is_refused(keyring: Keyring, days: float) -> None:
    with pytest.raises(InvalidInputError, match=r"days is .*; must be above 0 and at most 3650"):
        keyring.new_token("read", days=days)
    assert keyring.rows() == []


def test_a_revoked_token_and_its_sessions_open_nothing_within_a_second(keyring: Keyring, table: TokenTable) -> None:
    text = keyring.new_token("admin")
    session = keyring.open_session(text) or ""
    other = Keyring(table)  # another server on the same database
    assert other.check(text, kind="token")
    assert other.check(session, kind="session")
    keyring.revoke(text.split("_")[1])
    assert keyring.recall(text, kind="token") is None
    time.sleep(tokens.REMEMBERED + 0.05)  # until then the other server may not have looked again
    assert tokens.REMEMBERED < 1
    assert other.recall(text, kind="token") is None
    assert other.check(text, kind="token") is None
    assert other.check(session, kind="session") is None


def test_one_of_many_who_use_a_code_gets_in(keyring: Keyring) -> None:
    code = keyring.new_code()
    with ThreadPoolExecutor(8) as pool:
        sessions = list(pool.map(keyring.open_session, [code] * 20))
    assert sum(session is not None for session in sessions) == 1
    assert keyring.open_session(code) is None


def test_a_code_may_be_typed_sloppily(keyring: Keyring) -> None:
    code = keyring.new_code()
    assert len(code) == 19
    assert keyring.open_session(f"  {code.replace('-', ' ').lower()}\n") is not None


def test_what_has_expired_opens_nothing() -> None:
    now = 0
    table = TokenTable(MemoryStorage(now=lambda: now))
    keyring = Keyring(table)
    code, session = keyring.new_code(), keyring.open_session(keyring.new_token("read")) or ""
    now = tokens.SESSION_LASTS - 1
    assert keyring.check(session, kind="session")
    now += 1
    assert keyring.check(session, kind="session") is None
    assert keyring.open_session(code) is None


def test_a_session_ends_when_its_owner_says_so(keyring: Keyring) -> None:
    session = keyring.open_session(keyring.new_token("read")) or ""
    caller = keyring.check(session, kind="session")
    assert caller is not None
    keyring.end_session(caller)
    assert keyring.check(session, kind="session") is None


def test_scopes_and_campaigns_go_together(keyring: Keyring) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'work'"):
        keyring.new_token("wrok")
    with pytest.raises(InvalidInputError, match="one campaign"):
        keyring.new_token("work")
    with pytest.raises(InvalidInputError, match="one campaign"):
        keyring.new_token("read", campaign="c")
    with pytest.raises(InvalidInputError, match="label"):
        keyring.new_token("read", label="\x1b[31m")
    with pytest.raises(UnknownNameError):
        keyring.revoke("nobody")
    assert keyring.rows() == []
