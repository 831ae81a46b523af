"""Items on the dashboard: the form, the page of items, the event log, the page of an arm."""

import html
import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign

C = "/campaigns/bench"
FORM = {"name": "bench", "threshold": "0.5", "budget": "12", "arms": "a\nb\n", "action": "create"}


@pytest.fixture
def bench(app: FastAPI) -> Campaign:
    """Two arms, four items: the arm a passes all but q3, the arm b passes q1 only."""
    storage = app.state.registry.storage
    found = Campaign.create(
        storage, "bench", arms=["a", "b"], items=["q1", "q2", "q3", "q<4>"], threshold=0.5, budget=8
    )
    right = {("a", "q1"), ("a", "q2"), ("a", "q<4>"), ("b", "q1")}
    found.tell_items([(arm, item, (arm, item) in right) for arm in "ab" for item in ("q1", "q2", "q3", "q<4>")])
    return found


def words(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def test_the_page_of_items_says_which_are_hard(admin: TestClient, bench: Campaign) -> None:
    page = admin.get(f"{C}/items").text
    said = words(page)
    assert "4 items for each of 2 arms; 8 of 8 outcomes." in said
    assert "2 arms have an outcome on every item: the mean is exact" in said
    assert "Every arm that was asked has the outcome 1 on 1 item: q1." in said
    assert "Every arm that was asked has the outcome 0 on 1 item: q3." in said
    assert page.index("<bdi>q3") < page.index("<bdi>q1")
    assert 'aria-label="Outcomes of 2 arms on 4 items, 8 of 8 known."' in page
    assert "q<4>" not in page  # escaped
    easiest = admin.get(f"{C}/items?order=easiest").text
    assert easiest.index("<bdi>q1") < easiest.index("<bdi>q3")
    assert f'href="{C}/items"' in admin.get(C).text


def test_with_scores_the_page_says_what_items_and_scores_explain_together(admin: TestClient, app: FastAPI) -> None:
    items = [f"q{i}" for i in range(60)]
    right = {arm: {item: float((i * 7 + k) % 5 > k) for i, item in enumerate(items)} for k, arm in enumerate("ab")}
    campaign = Campaign.create(
        app.state.registry.storage, "bench", arms=["a", "b"], items=items, threshold=0.5, budget=90, proxy=right
    )
    campaign.tell_items([(arm, item, right[arm][item]) for arm in "ab" for item in items[:45]])
    said, left = words(admin.get(f"{C}/items").text), round(100.0 * campaign.items().share)
    assert f"Which item was asked and the score of the answer explain {100 - left}\u00a0% of the variance" in said
    assert f"It leaves {left}\u00a0% of the variance of outcomes" in said


def test_a_campaign_without_items_has_no_page_of_them(admin: TestClient) -> None:
    page = admin.get("/campaigns/c%2Fd/items")
    assert page.status_code == 404
    assert "has no items" in page.text
    assert "/items" not in admin.get("/campaigns/c%2Fd").text


def test_the_log_and_the_arm_name_the_item_of_a_ticket(admin: TestClient, app: FastAPI) -> None:
    storage = app.state.registry.storage
    campaign = Campaign.create(storage, "bench", arms=["a", "b"], items=["q1", "q2", "q3"], threshold=0.5, budget=6)
    tickets = campaign.ask(2)
    log = words(admin.get(f"{C}/log").text)
    assert f"(#1: {tickets[0].item}, #2: {tickets[1].item})" in log
    arm = admin.get(f"{C}/arms/0").text
    assert f"<bdi>{tickets[0].item}</bdi>" in arm


def test_items_that_are_asked_several_times_show_their_rates(admin: TestClient, app: FastAPI) -> None:
    storage = app.state.registry.storage
    form = FORM | {"items": "q1\nq2\n", "repeats": "3", "pass_k": "2"}
    assert admin.post("/new", data=form).status_code == 303
    campaign = Campaign.open(storage, "bench")
    assert (campaign.terms.repeats, campaign.budget) == (3, 12)
    campaign.tell_items([("a", item, repeat < 3, repeat) for item in ("q1", "q2") for repeat in (1, 2, 3)])
    page = admin.get(f"{C}/items").text
    said = words(page)
    assert "2 of 4 pairs have an outcome, 6 outcomes in all." in said
    assert "Mean outcomes of all arms on all items" in said
    assert "exact" not in said, "all items are answered, and the mean is not known"
    arm = words(admin.get(f"{C}/arms/0").text)
    assert "repeat 3" in arm
    assert "exact: all" not in arm
    assert "Pass^2" in words(admin.get(C).text)
    ticket = campaign.ask()
    assert ticket is not None
    assert f"(#7: {ticket.item} (repeat {ticket.repeat}))" in words(admin.get(f"{C}/log").text)


def test_an_arm_says_what_is_certain_and_what_is_exact(admin: TestClient, app: FastAPI) -> None:
    storage = app.state.registry.storage
    campaign = Campaign.create(storage, "bench", arms=["a", "b"], items=5, threshold=0.5, budget=10)
    campaign.tell_items([("a", str(i), 1) for i in (1, 2, 3)])
    campaign.tell_items([("b", str(i), i > 4) for i in range(1, 6)])
    assert "certain, the items left cannot change it" in admin.get(f"{C}/arms/0").text
    assert "exact: all 5 items are answered" in admin.get(f"{C}/arms/1").text


@pytest.mark.parametrize("items", ["3", "q1\nq2\nq3\n"])
def test_the_form_takes_names_or_a_number(admin: TestClient, app: FastAPI, items: str) -> None:
    assert admin.post("/new", data=FORM | {"items": items}).status_code == 303
    found = Campaign.open(app.state.registry.storage, "bench")
    assert list(found.items().names) == (["1", "2", "3"] if items == "3" else ["q1", "q2", "q3"])
    assert found.standing.budget == 6  # all items of both arms


def test_the_form_takes_a_file_of_names(admin: TestClient, app: FastAPI) -> None:
    answer = admin.post("/new", data=FORM, files={"items_file": ("q.txt", b"x\ny\n")})
    assert answer.status_code == 303
    assert list(Campaign.open(app.state.registry.storage, "bench").items().names) == ["x", "y"]


@pytest.mark.parametrize(("items", "complaint"), [("0", "tems is 0; must be at least 1"), ("q1\nq1", "unique")])
def test_wrong_items_are_named_and_create_nothing(admin: TestClient, app: FastAPI, items: str, complaint: str) -> None:
    answer = admin.post("/new", data=FORM | {"items": items})
    assert answer.status_code == 422
    assert complaint in words(answer.text)
    assert "bench" not in app.state.registry.names()
