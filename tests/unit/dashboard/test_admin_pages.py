"""Tokens and settings: only administrators see and change them."""

import html
import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign

PLACES = ("/tokens", "/settings")


def token_in(page: str) -> str:
    """Return the text of the token that a page shows."""
    found = re.search(r"<code>(thresher_[^<]+)</code>", page)
    assert found
    return html.unescape(found[1])


def test_a_token_is_shown_once_and_works(admin: TestClient, stranger: TestClient, campaign: Campaign) -> None:
    page = admin.post("/tokens", data={"scope": "work", "campaign": "c/d", "label": "grader <1>"}).text
    token = token_in(page)
    assert "grader &lt;1&gt;" in page
    assert token not in admin.get("/tokens").text
    admin.cookies.clear()
    working = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    assert stranger.post("/api/v1/campaigns/c%2Fd/ask", json={}, headers=working).status_code == 200


def test_revoking_ends_a_token_at_once(admin: TestClient, app: FastAPI) -> None:
    token = app.state.keyring.new_token("read", label="old")
    headers = {"Authorization": f"Bearer {token}"}
    assert admin.get("/", headers=headers).status_code == 200
    answer = admin.post(f"/tokens/{token.split('_')[1]}/revoke")
    assert (answer.status_code, answer.headers["location"]) == (303, "/tokens")
    assert admin.get("/", headers=headers).status_code == 401
    assert "old" not in admin.get("/tokens").text


def test_revoking_ones_own_session_logs_out(admin: TestClient) -> None:
    page = admin.get("/tokens").text
    assert page.count("(this one)") == 1
    [own] = re.findall(r'action="(/tokens/\w+/revoke)"', page)
    assert admin.post(own).status_code == 303
    assert admin.get("/tokens").status_code == 401


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"scope": "work"}, "Campaign is missing; a token of scope"),
        ({"scope": "read", "campaign": "c/d"}, "a token of scope"),
        ({"scope": "all"}, "scope"),
        ({"scope": "work", "campaign": "none"}, "No campaign"),
        ({"scope": "read", "label": "x" * 101}, "must have at most 100 characters"),
        ({}, "Scope must be given"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_created(
    admin: TestClient, app: FastAPI, given: dict[str, str], complaint: str
) -> None:
    before = len(app.state.keyring.rows())
    answer = admin.post("/tokens", data=given)
    assert answer.status_code == 422
    assert complaint in html.unescape(answer.text)
    assert len(app.state.keyring.rows()) == before


def test_an_unknown_token_cannot_be_revoked(admin: TestClient) -> None:
    answer = admin.post("/tokens/abc/revoke")
    assert answer.status_code in (404, 422)
    assert "<h1>" in answer.text


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("scope", ["read", "work"])
def test_other_roles_neither_see_nor_reach_it(app: FastAPI, stranger: TestClient, scope: str, place: str) -> None:
    token = app.state.keyring.new_token(scope, campaign="c/d" if scope == "work" else None)
    headers = {"Authorization": f"Bearer {token}"}
    assert stranger.get(place, headers=headers).status_code == 403
    assert f'href="{place}"' not in stranger.get("/", headers=headers).text


def test_a_page_of_another_site_makes_no_token(admin: TestClient, app: FastAPI) -> None:
    before = len(app.state.keyring.rows())
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert admin.post("/tokens", data={"scope": "admin"}, headers=headers).status_code == 403
    assert admin.post("/tokens/abc/revoke", headers=headers).status_code == 403
    assert len(app.state.keyring.rows()) == before


def test_settings_show_what_is_configured(admin: TestClient) -> None:
    page = html.unescape(admin.get("/settings").text)
    for value in ("in memory", "testserver", "512", "10 s", "1,000,000 bytes", "10 per minute", "--max-connections"):
        assert value in page
