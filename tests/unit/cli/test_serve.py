"""``thresher serve``: the names it answers to, the addresses it refuses, the passwords it does not print."""

import json
import logging
from collections.abc import Callable, Iterator

import pytest

from tests.support.service_process import CODE
from thresher.cli.main import main
from thresher.cli.serve import _names
from thresher.errors import InvalidInputError


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """Restore the loggers: later tests would write to the standard error of this one, which is closed by then."""
    loggers = [logging.getLogger(name) for name in ("thresher.service", "uvicorn.error")]
    before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    yield
    for logger, (handlers, propagate, level) in zip(loggers, before, strict=True):
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


LOOPBACK = ("127.0.0.1", "[::1]", "localhost")


@pytest.mark.parametrize(
    ("host", "public_url", "names", "is_secure"),
    [
        ("127.0.0.1", None, (), False),
        ("::1", None, ("[::1]",), False),
        ("127.0.0.1", "https://Thresher.example.org", ("thresher.example.org",), True),
        ("127.0.0.1", "https://thresher.example.org:8443/", ("thresher.example.org",), True),
        ("127.0.0.1", "http://box.local", ("box.local",), False),
        ("localhost", "https://[2001:db8::1]", ("[2001:db8::1]",), True),
    ],
)
def test_it_answers_to_loopback_and_to_its_public_name(
    host: str, public_url: str | None, names: tuple[str, ...], is_secure: bool
) -> None:
    found, secure = _names(host, public_url, expose=False)
    assert set(found) == {*LOOPBACK, *names}
    assert secure is is_secure


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "thresher.example.org", "127.0.0.1.example.org"])
def test_an_address_that_others_reach_needs_a_word_of_its_own(host: str) -> None:
    with pytest.raises(InvalidInputError, match="--expose"):
        _names(host, "https://thresher.example.org", expose=False)
    assert ("[::]" if host == "::" else host) in _names(host, None, expose=True)[0]


@pytest.mark.parametrize(
    "public_url", ["thresher.example.org", "ftp://host", "https://", "https://[::1", "javascript:alert(1)"]
)
def test_a_public_url_that_is_none_is_refused(public_url: str) -> None:
    with pytest.raises(InvalidInputError, match="such as https://host"):
        _names("127.0.0.1", public_url, expose=False)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--log-level", "loud"], "must be info or warning"),
        (["--host", "0.0.0.0"], "tokens would be sent in clear text"),
        (["--port", "70000"], "--port"),
        (["--request-timeout", "nan"], "--request-timeout is nan; must be above 0"),
        (["--max-connections", "0"], "--max-connections is 0; must be at least 1"),
        (["--db", "mysql://host/db"], "mysql"),
    ],
)
def test_what_it_cannot_do_it_says_before_it_starts(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["serve", *([] if "--db" in words else ["--db", "memory://"]), *words])
    assert left.value.code == 3
    assert sentence in capsys.readouterr().err


def test_one_document_says_where_it_is_and_how_to_log_in(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ready:
        def __init__(self, app: object, *, host: str, port: int, when_ready: Callable[[int], None]) -> None:
            self.when_ready = when_ready

        def serve_until_stopped(self) -> None:
            self.when_ready(8123)

    monkeypatch.setattr("thresher.service.Server", Ready)
    with pytest.raises(SystemExit) as left:
        main(["serve", "--db", "memory://", "--public-url", "https://host", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert left.value.code == 0
    assert CODE.fullmatch(document.pop("code"))
    assert document == {"database": "memory://", "address": "http://127.0.0.1:8123", "public_url": "https://host"}
