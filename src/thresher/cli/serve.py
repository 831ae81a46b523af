"""``thresher serve``: the HTTP API and the dashboard of a database."""

from __future__ import annotations

import sys
from typing import Annotated
from urllib.parse import urlsplit

import typer

from thresher.errors import InvalidInputError, MissingExtraError

Db = Annotated[str, typer.Option("--db", envvar="THRESHER_DB", help="The database of the campaigns.")]
Host = Annotated[str, typer.Option("--host", help="The address to listen on.")]
Port = Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 takes any free one.")]
PublicUrl = Annotated[
    str | None, typer.Option("--public-url", help="Public URL, such as https://thresher.example.org.")
]
Expose = Annotated[bool, typer.Option("--expose", help="Allow an address that is not a loopback address, without TLS.")]
RequestTimeout = Annotated[
    float, typer.Option("--request-timeout", help="Seconds in which a connection must send a complete request.")
]
MaxConnections = Annotated[
    int, typer.Option("--max-connections", help="Connections at once; at most half of the open files allowed.")
]
TokenRate = Annotated[int, typer.Option("--token-rate", help="Requests of one token in a second; 0: no limit.")]
AddressRate = Annotated[
    int, typer.Option("--address-rate", help="Requests without a token from one address in a second; 0: no limit.")
]
LogLevel = Annotated[str, typer.Option("--log-level", help="info, or warning for failures only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document when it is ready.")]
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    db: Db = "sqlite:///thresher.db",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    public_url: PublicUrl = None,
    expose: Expose = False,
    request_timeout: RequestTimeout = 10.0,
    max_connections: MaxConnections = 512,
    token_rate: TokenRate = 500,
    address_rate: AddressRate = 100,
    log_level: LogLevel = "info",
    json: Json = False,
) -> None:
    """Serve campaigns over HTTP, with a dashboard.

    The API for workers is under /api/v1. Every request needs a token (see 'thresher token'). Log in with a browser
    at the address that is printed.

    Example: thresher serve --db sqlite:///evals.db
    """
    from json import dumps

    from thresher.cli.show import answer

    hosts, is_secure = _names(host, public_url, expose=expose)
    if log_level not in ("info", "warning"):
        raise InvalidInputError("--log-level", log_level, rule="must be info or warning")
    try:
        from thresher.campaign.storage import hide_password
        from thresher.dashboard import create_app
        from thresher.service import Server, Settings, log_to_stderr
    except ImportError as error:
        raise MissingExtraError("the service", "service") from error
    settings = Settings(
        hosts=hosts,
        secure=is_secure,
        request_timeout=request_timeout,
        max_connections=max_connections,
        token_rate=token_rate,
        address_rate=address_rate,
    )
    app = create_app(db, settings)
    log_to_stderr(log_level)

    def announce(bound: int) -> None:
        app.state.boards.warm_up()
        address = f"http://{_bracketed(host)}:{bound}"
        database, code = hide_password(db), app.state.keyring.new_code()
        if json:
            answer(dumps({"database": database, "address": address, "public_url": public_url, "code": code}))
        else:
            answer(f"thresher serves {database} at {public_url + ' from ' if public_url else ''}{address}")
            answer(f"Log in: {(public_url or address).rstrip('/')}/login?code={code}")
            answer("Next: open that address in a browser; it works once, within an hour.")
            answer("'thresher token code' prints another code, 'thresher token new' a token for workers.")
        sys.stdout.flush()  # flush for readers of the pipe

    Server(app, host=host, port=port, when_ready=announce).serve_until_stopped()


def _names(host: str, public_url: str | None, *, expose: bool) -> tuple[tuple[str, ...], bool]:
    """Return the host names that the server accepts, and whether browsers connect over TLS."""
    if host not in LOOPBACK and not expose:
        raise InvalidInputError(
            "--host",
            host,
            rule="must be a loopback address: elsewhere tokens would be sent in clear text",
            fix="put TLS in front of 127.0.0.1 and give --public-url, or add --expose if TLS is taken care of",
        )
    names = [*map(_bracketed, LOOPBACK), _bracketed(host)]
    if public_url is None:
        return tuple(names), False
    try:
        parts = urlsplit(public_url)
    except ValueError:  # half an IPv6 address
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInputError("--public-url", public_url, rule="must be an address such as https://host")
    return (*names, _bracketed(parts.hostname)), parts.scheme == "https"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
