"""The log and the numbers: every request once, no secret, no forged line."""

import io
import json
import logging
import sys
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage.tokens import TokenTable
from thresher.errors import StorageUnavailableError
from thresher.service import campaign_metrics
from thresher.service.request_log import JsonLines, log_to_stderr
from thresher.service.settings import API


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("thresher.service")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_a_request_is_one_line_by_its_route(client: TestClient, lines: io.StringIO, tokens: dict[str, str]) -> None:
    client.get(f"{API}/campaigns/c/history?after=1")
    client.get(f"{API}/campaigns/%0A%1b[31m")
    first, second = map(json.loads, lines.getvalue().splitlines())
    assert {key: first[key] for key in ("method", "route", "status", "campaign", "level")} == {
        "method": "GET",
        "route": f"{API}/campaigns/{{campaign}}/history",
        "status": 200,
        "campaign": "c",
        "level": "info",
    }
    assert first["token"] == tokens["admin"].split("_")[1]
    assert second["campaign"] == "\n\x1b[31m"
    assert "\x1b" not in lines.getvalue()


def test_no_secret_is_logged(client: TestClient, lines: io.StringIO, tokens: dict[str, str]) -> None:
    client.get(f"{API}/campaigns?token={tokens['admin']}", headers={"Cookie": f"thresher_session_80={tokens['admin']}"})
    client.post(f"{API}/campaigns/c/fail", json={"ticket": tokens["admin"][:90]})
    client.get(f"/{tokens['admin']}")
    client.get(f"{API}/campaigns/{tokens['admin']}")
    client.get(f"{API}/campaigns/ABCD-EFGH-JKMN-0123")
    assert len(lines.getvalue().splitlines()) == 5
    assert tokens["admin"].split("_", 2)[2] not in lines.getvalue()
    assert "ABCD" not in lines.getvalue()


@pytest.mark.parametrize(
    "name", ["550e8400-e29b-41d4-a716-446655440000", "2026-11-15", "thresher_runs_2026", "team-4711-eval-7"]
)
def test_a_name_that_is_no_secret_is_logged(client: TestClient, lines: io.StringIO, name: str) -> None:
    client.get(f"{API}/campaigns/{name}")
    assert json.loads(lines.getvalue())["campaign"] == name


def test_a_fault_is_told_to_the_log_and_not_to_the_caller(
    client: TestClient, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr(client.app.state.registry, "ping", fail)  # type: ignore[attr-defined]
    answer = client.get(f"{API}/ready")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "RuntimeError: the secret reason" in json.loads(lines.getvalue().splitlines()[0])["traceback"]


def test_prometheus_reads_counts_by_route_and_never_by_name(client: TestClient) -> None:
    tickets = client.post(f"{API}/campaigns/c/ask", json={"n": 2}).json()["tickets"]
    told = {"outcomes": [{"ticket": ticket["id"], "outcome": 1} for ticket in tickets]}
    for _ in range(2):
        client.post(f"{API}/campaigns/c/tell", json=told)
    for _ in range(2):
        client.post(f"{API}/campaigns/c/ask", json={"n": 2}, headers={"Idempotency-Key": "k"})
    for _ in range(2):
        body = {"arm": "a", "n": 3, "total": 1}
        client.post(f"{API}/campaigns/c/counts", json=body, headers={"Idempotency-Key": "l"})
    client.request("HACK", f"{API}/campaigns/c")
    client.get("/campaigns/made-up")
    text = client.get(f"{API}/metrics").text
    assert 'thresher_requests_total{method="POST",route="/api/v1/campaigns/{campaign}/tell",status="200"} 2.0' in text
    assert "thresher_tickets_total 4.0" in text
    assert "thresher_outcomes_total 5.0" in text
    assert 'method="OTHER"' in text
    assert "HACK" not in text
    assert "made-up" not in text


def test_campaigns_have_metrics_up_to_a_limit_and_archived_ones_have_none(
    client: TestClient, app: FastAPI, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = app.state.registry.storage
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(2)])
    campaign.ask()
    Campaign.create(storage, 'quo"te', arms=["x"], threshold=0.5, budget=5).close()
    Campaign.create(storage, "old", arms=["x"], threshold=0.5, budget=5).archive()
    text = client.get(f"{API}/metrics").text
    shown = {"budget": 9.0, "spent": 2.0, "in_flight": 1.0, "arms": 3.0, "outcomes": 2.0, "undecided_arms": 3.0}
    for name, value in shown.items():
        assert f'thresher_campaign_{name}{{campaign="c"}} {value}\n' in text
    assert 'thresher_campaign_budget{campaign="quo\\"te"} 5.0\n' in text
    assert "thresher_campaigns 3.0\n" in text
    assert '"old"' not in text
    monkeypatch.setattr(campaign_metrics, "MOST_CAMPAIGNS", 1)  # the newest that is not archived
    assert 'campaign="c"' not in client.get(f"{API}/metrics").text


def test_a_refusal_before_the_route_is_counted_under_its_route(
    client: TestClient, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise StorageUnavailableError("no database", instead="wait")

    client.get(f"{API}/campaigns/c/verdicts", headers={"Authorization": "Bearer wrong"})
    client.get(f"{API}/metrics")  # the token of the admin is remembered for a second
    with monkeypatch.context() as patch:
        patch.setattr(TokenTable, "find", away)
        client.post(f"{API}/campaigns/c/tell", json={}, headers={"Authorization": f"Bearer {tokens['work']}"})
        client.get(f"{API}/ready")
    text = client.get(f"{API}/metrics").text
    for method, route, status in [
        ("GET", "/api/v1/campaigns/{campaign}/verdicts", 401),
        ("POST", "/api/v1/campaigns/{campaign}/tell", 503),
        ("GET", "/api/v1/ready", 503),
    ]:
        assert f'thresher_requests_total{{method="{method}",route="{route}",status="{status}"}} 1.0' in text


def test_the_log_goes_to_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    loggers = [logging.getLogger(name) for name in ("thresher.service", "uvicorn.error", "psycopg")]
    before = [(logger.handlers, logger.level, logger.propagate) for logger in loggers]
    try:
        log_to_stderr("warning")
        loggers[0].info("unheard")
        loggers[0].warning("heard")
        logging.getLogger("psycopg.pool").warning("error connecting")
        log_to_stderr("info")
        loggers[0].info("a request")
        logging.getLogger("psycopg.pool").info("one line for each connection")
    finally:
        for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == [
        "heard",
        "error connecting",
        "a request",
    ]
