"""What the routes do: batches, keys, pages, waiting, streams, files."""

import csv
import io
import json
import threading
import time
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.support.own_index import OWN, own_index
from tests.support.service_process import wait_until
from thresher.campaign import Campaign
from thresher.campaign.storage.tokens import TokenTable
from thresher.errors import StorageUnavailableError
from thresher.service.campaign_registry import Glimpse, ServedCampaign
from thresher.service.settings import API

C = f"{API}/campaigns/c"


def asked(client: TestClient, n: int = 1, **given: Any) -> list[dict[str, Any]]:
    """Ask; return the tickets."""
    answer = client.post(f"{C}/ask", json={"n": n}, **given)
    assert answer.status_code == 200, answer.text
    tickets: list[dict[str, Any]] = answer.json()["tickets"]
    return tickets


def told(client: TestClient, *outcomes: tuple[str, Any]) -> Any:
    """Tell; return the answer."""
    body = {"outcomes": [{"ticket": ticket, "outcome": outcome} for ticket, outcome in outcomes]}
    return client.post(f"{C}/tell", json=body)


def test_a_batch_is_asked_and_told_in_two_calls(client: TestClient, campaign: Campaign) -> None:
    tickets = asked(client, 5)
    assert [ticket["arm"] for ticket in tickets[:3]] == ["a", "b", "c"]
    receipts = told(client, *((ticket["id"], True) for ticket in tickets)).json()["receipts"]
    assert [receipt["ticket"] for receipt in receipts] == [ticket["id"] for ticket in tickets]
    assert campaign.spent == 5


def test_an_ask_with_the_same_key_takes_no_more_of_the_budget(client: TestClient, campaign: Campaign) -> None:
    first = asked(client, 2, headers={"Idempotency-Key": "k"})
    assert asked(client, 2, headers={"Idempotency-Key": "k"}) == first
    assert campaign.outstanding == 2


def test_a_budget_is_extended_once_with_the_same_key(client: TestClient) -> None:
    for _ in range(3):
        budget = client.post(f"{C}/extend", json={"amount": 2.5}, headers={"Idempotency-Key": "k"}).json()["budget"]
    assert budget == 11.5


def test_another_outcome_is_refused_with_the_stored_one(client: TestClient) -> None:
    [ticket] = asked(client)
    told(client, (ticket["id"], 1))
    answer = told(client, (ticket["id"], 0))
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:thresher:conflicting-outcome"
    assert (answer.json()["stored"], answer.json()["told"]) == (1.0, 0.0)


def test_a_campaign_is_made_with_numbers_for_all_arms_or_for_each(client: TestClient) -> None:
    one = {"name": "one", "arms": ["x", "y"], "threshold": 0.1, "family": "gaussian", "sigma": 2.0, "budget": 9}
    arms = [{"arm": "x", "threshold": 0.1, "cost": 2.0}, {"arm": "y"}]
    other = {"name": "other", "arms": arms, "threshold": 0.2, "family": "gaussian", "sigma": 2.0, "budget": 9}
    assert client.post(f"{API}/campaigns", json=one).status_code == 201
    assert client.post(f"{API}/campaigns", json=other).status_code == 201
    rows = client.get(f"{API}/campaigns/other/verdicts").json()["verdicts"]
    assert [row["threshold"] for row in rows] == [0.1, 0.2]
    assert client.get(f"{API}/campaigns/one").json()["terms"]["family"] == "gaussian"


def pages(client: TestClient, path: str, rows: str, limit: int) -> list[Any]:
    """Return all pages of a list, one after the other."""
    found: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = client.get(path, params={"after": after, "limit": limit}).json()
        assert len(page[rows]) <= limit
        found += page[rows]
        after = page["next"]
    return found


def test_a_rate_may_be_given_in_per_cent_and_similar_names_are_pointed_out(client: TestClient, app: FastAPI) -> None:
    given = {"name": "rates", "budget": 20, "arms": ["fair", "Fair"], "threshold": "80%", "risk": "2.5 %"}
    made = client.post(f"{API}/campaigns", json=given | {"tolerance": "1%"})
    assert made.status_code == 201, made.text
    assert "'fair' and 'Fair'" in made.json()["notes"][0]
    campaign = Campaign.open(app.state.registry.storage, "rates")
    assert (campaign.terms.risk, campaign.terms.tolerance) == (0.025, 0.01)
    assert [row.threshold for row in campaign.verdicts()] == [0.8, 0.8]
    assert client.post(f"{API}/campaigns/rates/arms", json={"arms": [{"arm": "c", "threshold": "70%"}]}).is_success
    assert campaign.verdicts()[2].threshold == 0.7
    for wrong in ({"risk": "200%"}, {"threshold": "80"}, {"threshold": "8 of 10"}, {"risk": "%"}, {"budget": "80%"}):
        assert client.post(f"{API}/campaigns", json=given | {"name": "wrong"} | wrong).status_code == 422


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_together_are_the_whole(client: TestClient, app: FastAPI, campaign: Campaign, limit: int) -> None:
    for name in ("d", "e"):
        Campaign.create(app.state.registry.storage, name, arms=["x"], threshold=0.5, budget=5)
    for ticket in campaign.ask(6):
        campaign.tell(ticket, 1)
    assert [row["arm"] for row in pages(client, f"{C}/verdicts", "verdicts", limit)] == ["a", "b", "c"]
    history = pages(client, f"{C}/history", "entries", limit)
    assert [row["seq"] for row in history] == list(range(1, 10))
    assert [row["name"] for row in pages(client, f"{API}/campaigns", "campaigns", limit)] == ["c", "d", "e"]
    pulls = pages(client, f"{C}/arms/0/pulls", "pulls", limit)
    assert [pull["state"] for pull in pulls] == ["told"] * len(pulls)
    assert len(pulls) == campaign.verdicts()[0].pulls


def test_a_waiting_worker_gets_the_unit_that_another_gives_back(client: TestClient, campaign: Campaign) -> None:
    held = campaign.ask(9)
    timer = threading.Timer(0.1, campaign.fail, [held[3]])
    timer.start()
    tickets = asked(client, params={"wait": 60})  # without tickets if the time is up
    timer.join()
    assert [ticket["arm"] for ticket in tickets] == [held[3].arm]


def test_waiting_ends_when_the_time_is_up_or_nothing_can_come(client: TestClient, campaign: Campaign) -> None:
    held = campaign.ask(9)
    answer = client.post(f"{C}/ask?wait=0.1", json={"n": 1}).json()
    assert answer == {"tickets": [], "is_open": True}
    campaign.tell_many([(ticket, 1) for ticket in held])
    assert client.post(f"{C}/ask?wait=60", json={"n": 1}).json() == {"tickets": [], "is_open": False}
    assert client.get(f"{C}?wait=60").json()["is_open"] is False


def test_waiting_requests_end_when_the_server_stops(client: TestClient, campaign: Campaign, app: FastAPI) -> None:
    campaign.ask(9)
    timer = threading.Timer(0.1, app.state.watch.stop)
    timer.start()
    started = time.monotonic()
    assert client.post(f"{C}/ask?wait=60", json={"n": 1}).json()["tickets"] == []
    assert time.monotonic() - started < 60  # or it was not the stop that ended the wait
    timer.join()


def test_the_stream_tells_of_every_change_and_ends_with_the_server(
    client: TestClient, campaign: Campaign, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    glimpse = ServedCampaign.glimpse

    def noted(served: ServedCampaign) -> Glimpse:
        found = glimpse(served)
        looked.append(found.standing.events)
        return found

    monkeypatch.setattr(ServedCampaign, "glimpse", noted)

    def change() -> None:
        campaign.ask()
        wait_until(lambda: 3 in looked, "the stream sees the ticket")
        campaign.pause()
        wait_until(lambda: 4 in looked, "the stream sees the pause")
        app.state.watch.stop()

    worker = threading.Thread(target=change)
    with client.stream("GET", f"{C}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        worker.start()
        data = [line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data: ")]
    worker.join()
    seen = [json.loads(one) for one in data]
    assert [one["events"] for one in seen][-2:] == [3, 4]
    assert (seen[-1]["status"], seen[-1]["outstanding"]) == ("paused", 1)


def test_exports_open_in_a_spreadsheet_without_running_anything(client: TestClient) -> None:
    names = ["=1+1", "+x", "-x", "@SUM(A1)", "\u202ex", 'a "quoted", one', "plain"]
    made = {"name": "csv", "arms": names, "threshold": 0.5, "budget": 20}
    assert client.post(f"{API}/campaigns", json=made).status_code == 201
    place = f"{API}/campaigns/csv"
    tickets = client.post(f"{place}/ask", json={"n": 2}).json()["tickets"]
    client.post(f"{place}/tell", json={"outcomes": [{"ticket": tickets[0]["id"], "outcome": 1}]})
    answer = client.get(f"{place}/export/verdicts.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="verdicts.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["arm"] for row in rows] == ["'=1+1", "'+x", "'-x", "'@SUM(A1)", *names[4:]]
    assert (rows[0]["mean"], rows[1]["mean"]) == ("1.0", "")
    outcomes = list(csv.DictReader(io.StringIO(client.get(f"{place}/export/outcomes.csv").text)))
    assert [(row["arm"], row["state"], row["value"]) for row in outcomes] == [
        ("'=1+1", "told", "1.0"),
        ("'+x", "out", ""),
    ]
    log = [json.loads(line) for line in client.get(f"{place}/export/log.jsonl").text.splitlines()]
    assert [entry["kind"] for entry in log] == ["created", "arms-added", "asked", "told"]


def test_a_database_that_is_away_gives_503_and_then_all_is_well(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise StorageUnavailableError("gone", instead="wait")

    with monkeypatch.context() as patch:
        for name in ("headings", "transact", "look", "find"):
            patch.setattr(app.state.registry.storage, name, away)
        answers = [client.post(f"{C}/ask", json={}), client.get(C), client.get(f"{API}/campaigns")]
        patch.setattr(TokenTable, "find", away)
        answers.append(client.get(f"{API}/ready"))
        assert {(answer.status_code, answer.headers["retry-after"]) for answer in answers} == {(503, "2")}
        assert client.get(f"{API}/health").status_code == 200
    assert client.get(f"{API}/ready").status_code == 200
    assert len(asked(client)) == 1


def test_a_token_that_cannot_be_looked_up_gives_503(
    app: FastAPI, stranger: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise StorageUnavailableError("gone", instead="wait")

    monkeypatch.setattr(app.state.keyring, "check", away)
    assert stranger.get(C, headers={"Authorization": "Bearer x"}).status_code == 503


def test_the_text_of_a_driver_is_for_callers_with_a_token(
    app: FastAPI, client: TestClient, stranger: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise StorageUnavailableError("cannot use /srv/evals.db: disk I/O error", instead="wait")

    assert client.get(C).status_code == 200  # the token is remembered
    for name in ("look", "find"):
        monkeypatch.setattr(app.state.registry.storage, name, away)
    monkeypatch.setattr(TokenTable, "find", away)
    told = client.get(C)
    assert (told.status_code, "/srv/evals.db" in told.json()["detail"]) == (503, True)
    hidden = [
        stranger.get(f"{API}/ready"),
        stranger.get(C, headers={"Authorization": "Bearer thresher_0_0"}),
        client.get(f"{API}/ready"),  # reads no token
    ]
    detail = "The database cannot be used; the log of the server has the details."
    for answer in hidden:
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:thresher:storage-unavailable")
        assert answer.json()["detail"] == detail
        assert "srv" not in answer.text


def test_only_an_admin_tells_counts_that_are_not_paid(
    app: FastAPI, client: TestClient, tokens: dict[str, str], campaign: Campaign
) -> None:
    worker = {"Authorization": f"Bearer {tokens['work']}"}
    free = {"arm": "a", "n": 1_000_000, "total": 1_000_000, "paid": False}
    refused = client.post(f"{C}/counts", json=free, headers=worker)
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:thresher:access-denied")
    assert campaign.verdicts()[0].pulls == 0
    assert client.post(f"{C}/counts", json=free | {"n": 1, "total": 1, "paid": True}, headers=worker).status_code == 200
    assert client.post(f"{C}/counts", json=free).status_code == 200
    assert campaign.verdicts()[0].pulls == 1_000_001


def test_a_worker_tells_costs_only_within_the_limits_of_the_terms(
    app: FastAPI, client: TestClient, tokens: dict[str, str], campaign: Campaign
) -> None:
    worker = {"Authorization": f"Bearer {tokens['work']}"}
    ticket = asked(client, headers=worker)[0]["id"]
    free = {"outcomes": [{"ticket": ticket, "outcome": 1, "cost": 0}]}
    refused = client.post(f"{C}/tell", json=free, headers=worker)
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:thresher:access-denied")
    assert refused.json()["detail"].endswith(
        "a cost needs 'admin' in this one; leave it out, or create the campaign with most_cost"
    )
    assert campaign.standing.told == 0
    assert client.post(f"{C}/tell", json=free).status_code == 200  # of an admin
    new = {"name": "d", "arms": ["a", "b"], "threshold": 0.5, "budget": 3, "least_cost": 0.5, "most_cost": 2}
    assert client.post(f"{API}/campaigns", json=new).status_code == 201
    worker = {"Authorization": f"Bearer {app.state.keyring.new_token('work', campaign='d')}"}
    path, told = f"{API}/campaigns/d", 0
    while tickets := client.post(f"{path}/ask", json={"n": 1}, headers=worker).json()["tickets"]:
        one = {"ticket": tickets[0]["id"], "outcome": 1}
        for cost in (0, 0.49, 2.01):
            refused = client.post(f"{path}/tell", json={"outcomes": [one | {"cost": cost}]}, headers=worker)
            assert (refused.status_code, refused.json()["rule"][:20]) == (422, "must be from 0.5 to ")
        done = client.post(f"{path}/tell", json={"outcomes": [one | {"cost": 0.5}]}, headers=worker)
        assert done.status_code == 200
        told += 1
    assert told == 5  # 0.5 each, but a ticket reserves the pull cost, 1
    assert client.get(path).json()["spent"] == 2.5


def test_verify_finds_nothing_where_nothing_is_wrong(client: TestClient) -> None:
    asked(client, 2)
    assert client.post(f"{C}/verify").json() == {"findings": []}


def test_a_campaign_whose_policy_is_not_available_blocks_no_other(client: TestClient, campaign: Campaign) -> None:
    own = f"{API}/campaigns/own"
    with own_index():
        Campaign.create(client.app.state.registry.storage, "own", arms=["a"], threshold=0.5, budget=3, policy=OWN)  # type: ignore[attr-defined]
    note = f"policy not available here (import it with --plugin): '{OWN}'"
    listed = client.get(f"{API}/campaigns").json()["campaigns"]
    assert [(row["name"], row["note"]) for row in listed] == [("c", ""), ("own", note)]
    shown = client.get(own)
    assert (shown.status_code, shown.json()["note"], shown.json()["terms"]["policy"]) == (200, note, OWN)
    assert client.post(f"{own}/verify").json() == {"findings": []}
    for refused in (client.post(f"{own}/ask", json={"n": 1}), client.get(f"{own}/verdicts")):
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:thresher:policy-unavailable")
        assert f"the policy '{OWN}' of this campaign is not available here" in refused.json()["detail"]
    assert asked(client)[0]["arm"] == "a"


def test_head_gets_what_get_gets_without_the_body(client: TestClient, stranger: TestClient) -> None:
    for path in ("/api/v1/health", "/api/v1/ready", C, f"{C}/verdicts", f"{C}/export/verdicts.csv", f"{API}/nothing"):
        head, whole = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (whole.status_code, b""), path
        assert head.headers == whole.headers, path
    assert client.head(f"{C}/events").headers["content-type"].startswith("text/event-stream")  # and it ends
    assert stranger.head(C, headers={"Authorization": ""}).status_code == 401
    assert client.head(f"{C}/ask").status_code == 405
    labels = 'method="HEAD",route="/api/v1/campaigns/{campaign}/verdicts",status="200"'
    assert f"thresher_requests_total{{{labels}}} 1.0" in client.get(f"{API}/metrics").text
