"""The way in for browsers."""

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.service.authentication import COOKIE


def test_who_is_not_logged_in_is_asked_to_and_taken_on_after_that(stranger: TestClient, app: FastAPI) -> None:
    page = stranger.get("/campaigns/c%2Fd/log")
    assert page.status_code == 401
    assert 'name="wanted" value="/campaigns/c%2Fd/log"' in page.text
    answer = stranger.post("/login", data={"code": app.state.keyring.new_code(), "wanted": "/campaigns/c%2Fd/log"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/campaigns/c%2Fd/log")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert stranger.get("/campaigns/c%2Fd/log").status_code == 200


@pytest.mark.parametrize(
    "wanted",
    ["//elsewhere.example", "/\\elsewhere.example", "https://elsewhere.example", "javascript:alert(1)", "", "/\u202e"],
)
def test_a_login_never_redirects_to_another_site(stranger: TestClient, app: FastAPI, wanted: str) -> None:
    answer = stranger.post("/login", data={"code": app.state.keyring.new_code(), "wanted": wanted})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_a_code_is_good_once_and_a_token_again_and_again(stranger: TestClient, app: FastAPI) -> None:
    code, token = app.state.keyring.new_code(), app.state.keyring.new_token("read")
    assert stranger.post("/login", data={"code": code}).status_code == 303
    again = stranger.post("/login", data={"code": code})
    assert again.status_code == 401
    assert "or the code has been used" in again.text
    assert [stranger.post("/login", data={"code": token}).status_code for _ in range(2)] == [303, 303]


def test_guessing_is_slowed_down(stranger: TestClient) -> None:
    answers = [stranger.post("/login", data={"code": "AAAA"}) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429]
    assert answers[-1].headers["retry-after"] == "60"


def test_who_logs_out_is_out_even_with_the_old_cookie(admin: TestClient) -> None:
    session = admin.cookies[f"{COOKIE}_80"]
    assert admin.get("/").status_code == 200
    assert admin.post("/logout").status_code == 303
    admin.cookies.set(f"{COOKIE}_80", session)
    assert admin.get("/").status_code == 401


def test_a_program_is_told_of_tokens_and_not_of_forms(stranger: TestClient) -> None:
    answer = stranger.get("/api/v1/campaigns")
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert stranger.get("/", headers={"Accept": "*/*"}).headers["content-type"] == "application/problem+json"


def test_the_form_has_an_address_of_its_own(stranger: TestClient, app: FastAPI) -> None:
    answer = stranger.get("/login")
    assert answer.status_code == 401
    assert 'name="code"' in answer.text
    assert stranger.post("/login", data={"code": app.state.keyring.new_code(), "wanted": "/"}).status_code == 303


def test_a_token_that_opens_nothing_is_told_from_none(stranger: TestClient, app: FastAPI) -> None:
    keyring = app.state.keyring
    revoked = keyring.new_token("read")
    keyring.revoke(revoked.split("_")[1])
    invented = "_".join([*revoked.split("_")[:2], "x" * 43])

    def said(**headers: str) -> str:
        answer = stranger.get("/api/v1/campaigns", headers=headers)
        assert answer.status_code == 401
        return str(answer.json()["detail"])

    assert (
        said() == said(Authorization="Basic eDp5") == "A token is required; send the header 'Authorization: Bearer …'."
    )
    sentences = {said(Authorization=f"Bearer {text}") for text in (revoked, invented, "nonsense")}
    assert sentences == {"This token is unknown, was revoked or has expired."}
    assert said(Cookie=f"{COOKIE}_80=gone") == "This session is unknown, was revoked or has expired."


def test_two_services_on_a_host_keep_their_sessions_apart(app: FastAPI, stranger: TestClient) -> None:
    one, two = "http://testserver:8000", "http://testserver:8001"
    for address in (one, two):
        made = stranger.post(f"{address}/login", data={"code": app.state.keyring.new_code()})
        assert made.status_code == 303
    assert sorted(stranger.cookies) == [f"{COOKIE}_8000", f"{COOKIE}_8001"]
    assert stranger.post(f"{one}/logout").status_code == 303
    assert [stranger.get(f"{address}/").status_code for address in (one, two)] == [401, 200]
