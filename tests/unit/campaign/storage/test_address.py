"""Addresses of storages: no message repeats a password."""

from pathlib import Path

import pytest

from thresher.campaign.storage import open_storage
from thresher.campaign.storage.address import hide_password
from thresher.errors import InvalidInputError, StorageUnavailableError


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("sqlite:///evals.db", "sqlite:///evals.db"),
        ("sqlite:////home/me@work/evals.db", "sqlite:////home/me@work/evals.db"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgresql://me:secret@host:5432/db", "postgresql://me:…@host:5432/db"),
        ("postgresql://me:secret@[::1/db", "postgresql://me:…@[::1/db"),
        ("postgresql://me:se:cret%40@host/db", "postgresql://me:…@host/db"),
        ("postgresql://me:se/c@ret@host/db", "postgresql://me:…@host/db"),
        ("postgresql://host/db?user=me&password=secret&port=1", "postgresql://host/db?user=me&password=…&port=1"),
        ("me:secret@host/db", "me:…@host/db"),
        ("//me:secret@host/db", "//me:…@host/db"),
        ("postgresql:me:secret@host/db", "postgresql:…@host/db"),
    ],
)
def test_no_password_is_shown(address: str, shown: str) -> None:
    assert hide_password(address) == shown


@pytest.mark.parametrize(
    "address",
    [
        "me:hunter2@host/db",
        "me:hunter2@host://db",
        "mysql://me:hunter2@host/db",
        "sqlite://me:hunter2@host/db",
        "postgresql://me:hunter2@[::1/db",
        "postgresql://me:hunter2%zz@host/db",
        "postgresql://me:hunter2 2@host/db",
    ],
)
def test_a_wrong_address_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        open_storage(address)
    error: BaseException | None = refused.value
    while error is not None:  # a traceback shows the causes too
        assert "hunter2" not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_a_server_that_does_not_answer_is_named_in_one_line() -> None:
    # The message of libpq has a second line that begins with a tab.
    one_line = r"^[ -~]*Connection refused[ -~]*; check the address, and that"
    with pytest.raises(StorageUnavailableError, match=one_line) as found:
        open_storage("postgresql://me:hunter2@127.0.0.1:1/evals")
    assert "hunter2" not in str(found.value)


@pytest.mark.parametrize("timeout", ["-1", "nan", "inf", "soon"])
def test_a_timeout_is_a_number_of_seconds(tmp_path: Path, timeout: str) -> None:
    with pytest.raises(InvalidInputError, match="must be a number of seconds from 0 to 86,400"):
        open_storage(f"sqlite:///{tmp_path}/x.db?timeout={timeout}", create=True)
    assert not (tmp_path / "x.db").exists()
