"""Every route by every scope: who gets in, and who does not."""

import re
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.dashboard import create_app as create_app_with_pages
from thresher.service import Settings
from thresher.service.settings import API

C = f"{API}/campaigns/c"
ADMIN, WORK, READ, ANYBODY = {"admin"}, {"admin", "work"}, {"admin", "work", "read"}, {"everybody"}
ALL_CAMPAIGNS = {"admin", "read"}  # a worker's token is for one campaign

# Route, a body that it takes, and whom it lets in.
ROUTES: list[tuple[str, str, Any, set[str]]] = [
    ("GET", f"{API}/health", None, ANYBODY),
    ("GET", f"{API}/ready", None, ANYBODY),
    ("GET", f"{API}/metrics", None, ALL_CAMPAIGNS),
    ("GET", f"{API}/openapi.json", None, ALL_CAMPAIGNS),
    ("GET", f"{API}/tokens", None, ADMIN),
    ("POST", f"{API}/tokens", {"scope": "work", "campaign": "c"}, ADMIN),
    ("POST", f"{API}/tokens/{{token}}/revoke", None, ADMIN),
    ("GET", f"{API}/campaigns", None, ALL_CAMPAIGNS),
    ("POST", f"{API}/campaigns", {"name": "d", "arms": ["x"], "threshold": 0.5, "budget": 5}, ADMIN),
    ("GET", C, None, READ),
    ("GET", f"{C}/verdicts", None, READ),
    ("GET", f"{C}/allocation?budget=5", None, READ),
    ("GET", f"{C}/offer", None, READ),
    ("GET", f"{C}/items", None, READ),
    ("GET", f"{C}/judge", None, READ),
    ("GET", f"{C}/history", None, READ),
    ("GET", f"{C}/arms/0/pulls", None, READ),
    ("GET", f"{C}/export/verdicts.csv", None, READ),
    ("GET", f"{C}/export/outcomes.csv", None, READ),
    ("GET", f"{C}/export/log.jsonl", None, READ),
    ("GET", f"{C}/events", None, READ),
    ("POST", f"{C}/ask", {"n": 1}, WORK),
    ("POST", f"{C}/tell", {"outcomes": []}, WORK),
    ("POST", f"{C}/counts", {"arm": "a", "n": 1, "total": 1}, WORK),
    ("POST", f"{C}/counts/table", {"counts": [{"arm": "a", "n": 1, "total": 1}], "paid": True}, WORK),
    ("POST", f"{C}/items/tell", {"outcomes": [], "paid": True}, WORK),
    ("POST", f"{C}/proxy", {"scores": [{"arm": "a", "item": "q", "score": 1}]}, WORK),
    ("POST", f"{C}/fail", {"ticket": "<ticket>"}, WORK),
    ("POST", f"{C}/heartbeat", {"tickets": ["<ticket>"]}, WORK),
    ("POST", f"{C}/void", {"ticket": "<told>"}, ADMIN),
    ("POST", f"{C}/void-import", {"batch": "file"}, ADMIN),
    ("POST", f"{C}/import", {"batch": "b", "sources": [], "added": [], "after": 4}, ADMIN),
    ("POST", f"{C}/amend", {"ticket": "<told>", "outcome": 0}, ADMIN),
    ("POST", f"{C}/arms", {"arms": ["z"], "threshold": 0.5}, ADMIN),
    ("POST", f"{C}/items", {"items": ["q"]}, ADMIN),
    ("POST", f"{C}/history", {"arms": [{"name": "old", "outcomes": [1]}]}, ADMIN),
    ("POST", f"{C}/retire", {"arm": "b"}, ADMIN),
    ("POST", f"{C}/extend", {"amount": 1}, ADMIN),
    ("POST", f"{C}/pause", None, ADMIN),
    ("POST", f"{C}/resume", None, ADMIN),
    ("POST", f"{C}/verify", None, ADMIN),
    ("POST", f"{C}/close", {}, ADMIN),
    ("POST", f"{C}/unarchive", None, ADMIN),
    ("POST", f"{C}/archive", {}, ADMIN),
]
NAMES = [f"{method} {path.removeprefix(API)}" for method, path, _, _ in ROUTES]


def pattern(path: str) -> str:
    """Return the pattern of the route that a path of the list is for."""
    path = path.partition("?")[0]
    for part, name in (("/c", "/{campaign}"), ("/arms/0/", "/arms/{position}/")):
        path = f"{path}/".replace(f"{part}/", f"{name}/") if part == "/c" else path.replace(part, name)
        path = path.rstrip("/")
    return path if "/export/" not in path else path.rpartition("/")[0] + "/{what}"


NEED_ITEMS = [("POST", f"{C}/items"), ("POST", f"{C}/history"), ("POST", f"{C}/proxy"), ("GET", f"{C}/judge")]


def test_the_list_has_every_route_there_is(app: FastAPI) -> None:
    there = {
        (method, context.path_format) for context in iter_route_contexts(app.routes) for method in context.methods or ()
    }
    assert {(method, pattern(path)) for method, path, _, _ in ROUTES} == there


@pytest.mark.parametrize(("method", "path", "body", "allowed"), ROUTES, ids=NAMES)
def test_who_gets_in(
    app: FastAPI,
    tokens: dict[str, str],
    campaign: Campaign,
    method: str,
    path: str,
    body: Any,
    allowed: set[str],
) -> None:
    app.state.watch.stop()  # so that a stream ends
    ticket, told = campaign.ask(2)
    campaign.tell_many([(told, 1)], batch="file")
    path = path.replace("{token}", app.state.keyring.new_token("read").split("_")[1])
    if isinstance(body, dict):
        real = {"<ticket>": ticket.id, "<told>": told.id}
        body = {
            key: real.get(value, value) if isinstance(value, str) else [ticket.id] if key == "tickets" else value
            for key, value in body.items()
        }
    with TestClient(app, raise_server_exceptions=False) as client:

        def status(headers: dict[str, str]) -> int:
            return client.request(method, path, json=body, headers=headers).status_code

        if allowed == ANYBODY:
            assert status({}) == 200
            return
        for nothing in (
            {},
            {"Authorization": "Bearer x"},
            {"Authorization": "Basic eDp5"},
            {"X-Token": tokens["admin"]},
        ):
            assert status(nothing) == 401
        with_token = f"{path}{'&' if '?' in path else '?'}token={tokens['admin']}"
        assert client.request(method, with_token, json=body).status_code == 401
        for scope in ("work elsewhere", "read", "work", "admin"):
            answer = status({"Authorization": f"Bearer {tokens[scope]}"})
            # The campaign has no items, so that new ones are refused, after the token was let in.
            let_in = (422,) if (method, path) in NEED_ITEMS else (200, 201)
            assert answer in (let_in if scope in allowed else (403,)), scope


def test_a_stranger_learns_nothing_of_what_is_there(stranger: TestClient) -> None:
    paths = ["/", "/nothing", C, f"{API}/campaigns/nothing", f"{API}/nothing", f"{API}/health/", f"{API}//health"]
    answers = [stranger.request(method, path) for path in paths for method in ("GET", "POST", "DELETE")]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}


def test_a_worker_learns_nothing_of_other_campaigns(app: FastAPI, tokens: dict[str, str], campaign: Campaign) -> None:
    Campaign.create(app.state.registry.storage, "secret", arms=["x"], threshold=0.5, budget=5)
    with TestClient(app, headers={"Authorization": f"Bearer {tokens['work']}"}) as client:
        answers = [client.get(f"{API}/campaigns/{name}") for name in ("secret", "not-there")]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert answers[0].content == answers[1].content
    assert b"secret" not in answers[0].content


def test_nothing_that_is_served_is_open_to_strangers_but_health_static_files_and_the_login() -> None:
    app = create_app_with_pages(MemoryStorage(), Settings(hosts=("testserver",)))
    contexts = [context for context in iter_route_contexts(app.routes) if context.path_format]
    assert len(contexts) > len(ROUTES)
    answers = {}
    with TestClient(app, raise_server_exceptions=False) as client:
        for context in contexts:
            path = re.sub(r"\{[^}]*\}", "0", str(context.path_format))
            for method in context.methods or ():
                answers[method, context.path_format] = client.request(method, path).status_code
    let_in = {route for route, status in answers.items() if status != 401}
    assert {path for _, path in let_in} == {f"{API}/health", f"{API}/ready", "/static/{digest}/{name}"}


@pytest.mark.parametrize(("method", "path", "body", "allowed"), ROUTES, ids=NAMES)
def test_no_route_is_without_its_guard(
    app: FastAPI, client: TestClient, method: str, path: str, body: Any, allowed: set[str]
) -> None:
    app.state.watch.stop()
    foreign = client.request(method, path, json=body, headers={"Host": "evil.example"})
    large = client.request(method, path, content=b" " * 1_000_001, headers={"Content-Type": "application/json"})
    cross = client.request(method, path, json=body, headers={"Sec-Fetch-Site": "cross-site"})
    plain = client.request(method, path, json=body)
    assert (foreign.status_code, large.status_code) == (421, 413)
    assert cross.status_code == (plain.status_code if method == "GET" else 403)
    for answer in (foreign, large, cross, plain):
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not [name for name in answer.headers if name.startswith("access-control") or name == "server"]
