"""Hostile requests and texts that pose as something else, against a real server on real databases."""

import csv
import io
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from tests.support.contracts.campaign_contract import make
from tests.support.hostile.injection import ESCAPES, FORMULAS, PATHS, SQL
from tests.support.hostile.requests import API, CASES, ODD, Case
from tests.support.service_place import ServicePlace, service_place
from thresher.campaign import Campaign
from thresher.errors import LONGEST_VALUE, InvalidInputError

PLACES = ["sqlite_place", pytest.param("postgres_place", marks=pytest.mark.xdist_group("postgres"))]
LARGE = ("body: ten megabytes",)  # the answer may be lost: the server does not read on, and closes


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Iterator[ServicePlace]:
    with service_place(request.getfixturevalue(request.param)) as place:
        yield place


@pytest.fixture
def client(place: ServicePlace) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {place.token}"}
    with httpx2.Client(base_url=place.address, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def status_of(client: httpx2.Client, case: Case, ticket: str) -> int:
    """Return the status of the answer to a case; 0 if the server hung up."""
    body = case.body.replace(b"<ticket>", ticket.encode())
    content = iter([body[:1000], body[1000:]]) if case.is_chunked else body
    try:
        return client.request(case.method, case.path, content=content, headers=case.headers).status_code
    except httpx2.TransportError:
        return 0


def test_every_hostile_request_is_refused_and_leaves_nothing(place: ServicePlace, client: httpx2.Client) -> None:
    campaign = make(place, budget=1000)
    [ticket] = campaign.ask(1)
    before = campaign.standing
    answers = {case.name: status_of(client, case, ticket.id) for case in CASES}
    lost = {name for name, status in answers.items() if status == 0}
    assert lost <= set(LARGE)
    assert {name: status for name, status in answers.items() if name not in lost and not 400 <= status < 500} == {}
    assert campaign.standing == before
    assert [standing.name for standing in place.standings()] == ["c"]
    campaign.verify()


GET, POST = (
    b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /api/v1/campaigns HTTP/1.1\r\nHost: localhost\r\n",
)
RAW = {
    "no HTTP": b"hello\r\n\r\n",
    "only line feeds": b"\n\n\n\n",
    "a version that is none": b"GET /api/v1/health HTTP/x\r\nHost: localhost\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40 + b"\r\n\r\n",
    "no Host": b"GET /api/v1/health HTTP/1.1\r\n\r\n",
    "two Hosts": GET + b"Host: evil.example\r\n\r\n",
    "a path of 100 kB": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a NUL in a header": GET + b"X: a\0b\r\n\r\n",
    "a header without a name": GET + b": a\r\n\r\n",
    "a length that is a word": POST + b"Content-Length: x\r\n\r\n",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a length and chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n",
    "a chunk of no size": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "an absolute address": b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "CONNECT": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
    "an upgrade": POST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "letters beyond ASCII": "GET /é HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES[:1], indirect=True)
def test_what_is_hardly_http_is_refused_and_the_server_lives(place: ServicePlace, client: httpx2.Client) -> None:
    port = int(place.address.rpartition(":")[2])
    answers = {}
    for name, text in RAW.items():
        with socket.create_connection(("127.0.0.1", port), timeout=30) as caller:
            caller.sendall(text)
            caller.shutdown(socket.SHUT_WR)
            with caller.makefile("rb") as answer:
                first = answer.readline()
        answers[name] = int(first.split()[1]) if first else 400  # it may hang up
    assert {name: status for name, status in answers.items() if not 400 <= status < 500} == {}
    assert client.get(f"{API}/health").status_code == 200


@pytest.mark.by_day("sqlite_place-paths", "sqlite_place-formulas", "postgres_place-SQL")
@pytest.mark.parametrize("texts", [SQL, PATHS, FORMULAS], ids=["SQL", "paths", "formulas"])
def test_a_text_stays_a_text_wherever_it_stands(
    place: ServicePlace, client: httpx2.Client, texts: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(set(texts)) >= 60
    monkeypatch.chdir(tmp_path)  # where a name that became a path would leave a file
    campaign = make(place, arms=list(texts), budget=len(texts) + 10)
    tickets = campaign.ask(len(texts))
    assert [ticket.arm for ticket in tickets] == list(texts)
    for ticket, text in zip(tickets, texts, strict=True):
        campaign.fail(ticket, reason=text)
    reasons = [entry.details["reason"] for entry in campaign.history() if entry.kind == "failed"]
    assert reasons == list(texts)
    for text in texts[::7]:
        [again] = campaign.ask(1, key=text)
        assert campaign.ask(1, key=text) == [again]
        assert named(place, text).standing.name == text
        assert refusals(client, text) <= {404, 422}
    assert [row.arm for row in campaign.verdicts()] == list(texts)
    assert len(place.standings()) == 1 + len(texts[::7])
    campaign.verify()
    assert list(tmp_path.iterdir()) == []


def named(place: ServicePlace, name: str) -> Campaign:
    """Return a campaign of that name as another process finds it."""
    make(place, name)
    return place.open(name)


def refusals(client: httpx2.Client, text: str) -> set[int]:
    """Return how a text is answered where a ticket, a file or an arm's place is expected."""
    place = f"{API}/campaigns/c"
    return {
        client.post(f"{place}/fail", json={"ticket": text[:100]}).status_code,
        client.get(f"{place}/export/{quote(text, safe='')}").status_code,
        client.get(f"{place}/arms/{quote(text, safe='')}/pulls").status_code,
    }


def test_no_cell_of_an_export_is_a_formula(place: ServicePlace, client: httpx2.Client) -> None:
    campaign = make(place, arms=list(FORMULAS), budget=len(FORMULAS))
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(len(FORMULAS))])
    for what in ("verdicts.csv", "outcomes.csv"):
        rows = list(csv.DictReader(io.StringIO(client.get(f"{API}/campaigns/c/export/{what}").text)))
        assert [row["arm"] for row in rows] == [f"'{text}" for text in FORMULAS]


def test_a_terminal_is_given_no_orders(place: ServicePlace, client: httpx2.Client) -> None:
    assert len(set(ESCAPES)) >= 60
    campaign = make(place)
    before = campaign.standing
    for text in ESCAPES:
        with pytest.raises(InvalidInputError):
            campaign.add_arms([f"arm {text}"], threshold=0.5)
        given: dict[str, Any] = {"name": f"campaign {text}", "arms": ["a"], "threshold": 0.5, "budget": 5}
        for answer in (
            client.post(f"{API}/campaigns", json=given),
            client.post(f"{API}/campaigns/c/retire", json={"arm": text}),
            client.get(f"{API}/campaigns/{quote(text, safe='')}"),
        ):
            assert answer.status_code in (404, 422)
            assert answer.text.isascii()
            assert answer.text.isprintable()
    assert campaign.standing == before


def test_a_refusal_repeats_little_and_no_markup(place: ServicePlace, client: httpx2.Client) -> None:
    make(place)
    text = "<b>" + "x" * 300
    for answer in (
        client.get(f"{API}/campaigns/{quote(text, safe='')}"),
        client.post(f"{API}/campaigns/c/retire", json={"arm": text}),
        client.post(f"{API}/campaigns/c/extend", json={"amount": text}),
        client.post(f"{API}/campaigns", json={"name": text * 4, "arms": ["a"], "threshold": 0.5, "budget": 5}),
        client.post(f"{API}/campaigns", json={text: 1}),
        client.get(f"{API}/{text}"),
    ):
        assert answer.status_code in (404, 422)
        assert "<" not in answer.text
        assert max(map(len, re.findall("x*", answer.json()["detail"]))) <= LONGEST_VALUE


def test_a_name_that_cannot_stand_in_an_address_is_refused(place: ServicePlace) -> None:
    for name in (".", ".."):
        with pytest.raises(InvalidInputError, match="be part of a URL"):
            make(place, name)
    assert place.standings() == []


def test_strange_names_are_kept_as_they_are(place: ServicePlace) -> None:
    for name in ODD.values():
        assert named(place, name).standing.name == name
