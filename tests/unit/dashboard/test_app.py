"""The service with its pages: every route is behind the gate, and what goes wrong is a page for people."""

import re

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.dashboard.assets import PREFIX
from thresher.errors import StorageUnavailableError
from thresher.service.request_limits import ReadLimit

OPEN = {"/api/v1/health", "/api/v1/ready", PREFIX + "{digest}/{name}"}


def routes(app: FastAPI) -> set[tuple[str, str]]:
    """Return method and path of every route."""
    return {
        (method, context.path_format or "")
        for context in iter_route_contexts(app.routes)
        for method in context.methods or ()
    }


def filled(path: str) -> str:
    """Return a path of the campaign that is there."""
    parts = {
        "campaign": "c%2Fd",
        "position": "0",
        "what": "verdicts.csv",
        "ticket": "1-x",
        "digest": "x",
        "name": "x",
        "token": "x",
    }
    return re.sub(r"\{(\w+)[^}]*\}", lambda match: parts[match[1]], path)


def test_nothing_but_health_static_files_and_the_way_in_is_open_to_strangers(
    app: FastAPI, stranger: TestClient
) -> None:
    there = routes(app)
    assert len([path for _, path in there if not path.startswith("/api")]) >= 15
    for method, path in there:
        status = stranger.request(method, filled(path)).status_code
        assert (status == 401) != (path in OPEN and method in ("GET", "HEAD")), f"{method} {path}: {status}"


def test_who_may_read_changes_nothing(app: FastAPI, stranger: TestClient, campaign: Campaign) -> None:
    before = campaign.standing.events
    reading = {"Authorization": f"Bearer {app.state.keyring.new_token('read')}"}
    data = {"amount": "5", "key": "", "ticket": "1-x", "name": "n", "arms": "x", "budget": "5", "threshold": "0.5"}
    changing = [path for method, path in routes(app) if method == "POST" and not path.startswith(("/api", "/log"))]
    assert len(changing) == 12
    for path in changing:
        assert stranger.post(filled(path), data=data, headers=reading).status_code == 403
    assert campaign.standing.events == before
    assert app.state.registry.names() == ["c/d"]


def test_an_error_is_a_page_for_people_and_a_problem_for_programs(admin: TestClient) -> None:
    for path, kind in (("/campaigns/nobody", "text/html"), ("/api/v1/campaigns/nobody", "application/problem+json")):
        answer = admin.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith(kind)


def test_a_form_that_is_no_form_is_a_page(admin: TestClient) -> None:
    answer = admin.post("/campaigns/c%2Fd/extend", content=b"\xff\xfe", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 422
    assert "Amount must be given; key must be given." in answer.text


def test_a_database_that_is_away_is_said_with_when_to_come_back(
    app: FastAPI, admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise StorageUnavailableError("the database is away", instead="wait for it")

    monkeypatch.setattr(app.state.registry, "names", away)
    answer = admin.get("/")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    assert "The database is away; wait for it." in answer.text


def test_a_refused_read_of_the_api_names_the_limit(app: FastAPI, stranger: TestClient) -> None:
    app.state.long_reads = ReadLimit(running=0)
    token = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
    answer = stranger.get("/api/v1/campaigns/c%2Fd/export/log.jsonl", headers=token)
    assert (answer.status_code, answer.json()["detail"]) == (
        429,
        "0 such reads are running, the maximum; try again later.",
    )
