"""The pages that are read: what they say, and to whom."""

import html
import json
import re
import shlex
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.support.own_index import OWN, own_index
from thresher.campaign import Campaign
from thresher.report.decisions import WORDS

C = "/campaigns/c%2Fd"


def measure(campaign: Campaign, n: int) -> None:
    """Tell this many outcomes; only those of the arm `a` are good."""
    for ticket in campaign.ask(n):
        campaign.tell(ticket, ticket.arm == "a")


def series(page: str) -> dict[str, object]:
    """Return the numbers that a picture of a page is drawn from."""
    found = re.search(r'data-series="([^"]*)"', page)
    assert found
    data: dict[str, object] = json.loads(html.unescape(found[1]))
    return data


def test_the_list_shows_the_newest_first(admin: TestClient, campaign: Campaign, app: FastAPI) -> None:
    Campaign.create(app.state.registry.storage, "second", arms=["x"], threshold=0.5, budget=5, policy="lsa")
    page = admin.get("/").text
    assert page.index(">second<") < page.index(">c/d<")
    assert f'href="{C}"' in page


def test_the_list_is_sorted_and_searched_as_asked(admin: TestClient, campaign: Campaign, app: FastAPI) -> None:
    for name, budget in (("alpha", 5), ("Beta", 50)):
        Campaign.create(app.state.registry.storage, name, arms=["x"], threshold=0.5, budget=budget, policy="lsa")

    def listed(query: str) -> list[str]:
        return re.findall(r'class="name"><a [^>]*><bdi>([^<]+)</bdi>', admin.get(f"/?{query}").text)

    assert listed("order=name") == ["alpha", "Beta", "c/d"]
    assert listed("order=left") == ["Beta", "c/d", "alpha"]
    assert listed("search=BET") == ["Beta"]
    assert listed("search=nothing") == []
    campaign.pause()
    assert listed("order=changed")[0] == "c/d"
    assert admin.get("/?order=colour").status_code == 422


def test_the_list_has_the_dates_of_the_log(admin: TestClient, campaign: Campaign) -> None:
    dates = re.findall(r'<time datetime="([^"]+)">', admin.get("/").text)
    first, *_, last = campaign.history()
    assert dates == [first.at.isoformat(), last.at.isoformat()]
    campaign.pause()
    assert re.findall(r'<time datetime="([^"]+)">', admin.get("/").text)[1] == campaign.history()[-1].at.isoformat()


@pytest.mark.parametrize(("path", "marked"), [("/", "/"), (C, "/"), ("/new", "/new"), ("/import", "/import")])
def test_the_menu_marks_the_page(admin: TestClient, path: str, marked: str) -> None:
    assert re.findall(r'<a href="([^"]+)" aria-current="page">', admin.get(path).text) == [marked]


def test_dots_are_links_to_their_arms(admin: TestClient, campaign: Campaign) -> None:
    measure(campaign, 9)
    page = admin.get(C).text
    found = re.findall(r'<a href="([^"]+)" tabindex="-1"><circle[^>]*><title>([^:]+):', page)
    assert {(f"{C}/arms/{i}", name) for i, name in enumerate("abc")} <= set(found)


def test_a_campaign_whose_policy_is_not_available_blocks_no_page_but_its_own(
    admin: TestClient, campaign: Campaign, app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    with own_index():
        Campaign.create(app.state.registry.storage, "own", arms=["x"], threshold=0.5, budget=5, policy=OWN)
    app.state.boards.warm_up()
    listed = html.unescape(admin.get("/").text)
    assert ">c/d<" in listed
    assert f">policy not available here (import it with --plugin): '{OWN}'<" in listed
    assert admin.get(C).status_code == 200
    own = admin.get("/campaigns/own")
    assert own.status_code == 409
    assert f"policy '{OWN}' of this campaign is not available here" in html.unescape(own.text)
    assert admin.get("/campaigns/own/log").status_code == 200
    app.state.boards.stop()
    assert [record for record in caplog.records if record.exc_info] == []


def test_a_campaign_says_how_it_stands(admin: TestClient, campaign: Campaign) -> None:
    measure(campaign, 9)
    page = admin.get(C).text
    assert "9 of 30 spent, 0 in flight, 9 outcomes." in page
    assert page.count('class="strip"') == 4  # the ruler, and one for each arm
    assert page.count('class="picture"') == 2


def test_the_numbers_of_the_curve_are_those_of_the_verdicts(admin: TestClient, campaign: Campaign) -> None:
    measure(campaign, 9)
    shown = series(admin.get(C).text)
    assert shown["budget"] == 30
    assert shown["points"] == [[9, pytest.approx(campaign.verdicts().expected_mistakes, abs=1e-6)]]


def test_a_choice_of_arms_is_kept_in_the_links(admin: TestClient, campaign: Campaign) -> None:
    measure(campaign, 9)
    page = admin.get(f"{C}?kind=open&order=name&search=A").text
    assert page.count('<th scope="row"') == 1
    assert "?order=pulls&amp;kind=open&amp;search=A&amp;start=0" in page


def test_pages_of_arms(admin: TestClient, app: FastAPI) -> None:
    names = [f"arm {i:03}" for i in range(250)]
    Campaign.create(app.state.registry.storage, "many", arms=names, threshold=0.5, budget=500, policy="lsa")
    page = admin.get("/campaigns/many?order=name&start=200").text
    assert page.count('<th scope="row"') == 50
    assert "201 to 250 of 250 arms" in page
    assert 'rel="prev"' in page
    assert 'rel="next"' not in page


@pytest.mark.parametrize("query", ["order=colour", "kind=none", "start=-1", "start=x", "search=" + "a" * 501])
def test_an_unknown_query_is_refused(admin: TestClient, query: str) -> None:
    assert admin.get(f"{C}?{query}").status_code == 422


def test_only_the_parts_that_change_are_fetched(admin: TestClient, campaign: Campaign) -> None:
    part = admin.get(f"{C}/glance").text
    assert "<html" not in part
    parts = re.findall(r'data-part="(\w+)"', part)
    assert parts == re.findall(r'data-part="(\w+)"', admin.get(C).text)
    assert set(parts) == {"govern", "summary", "budget", "notes", "pictures", "arms"}


def test_an_arm_and_its_history(admin: TestClient, campaign: Campaign) -> None:
    first, *_ = campaign.ask(3)
    campaign.tell(first, 1)
    page = admin.get(f"{C}/arms/0").text
    assert "<bdi>a</bdi>" in page
    assert first.id in page
    assert "1 to 1 of 1 measurements" in page
    assert series(page)["mean"] == [1.0]
    waiting = admin.get(f"{C}/arms/1").text
    assert "1 in flight" in waiting
    assert "<td>in flight</td>" in waiting
    assert "Void it" not in waiting


@pytest.mark.parametrize("place", ["3", "-1", "a", "9" * 30])
def test_an_arm_that_is_not_there(admin: TestClient, place: str) -> None:
    assert admin.get(f"{C}/arms/{place}").status_code in (404, 422)


def test_the_number_of_an_arm_that_is_not_there_is_that_of_the_address(admin: TestClient) -> None:
    page, pulls = admin.get(f"{C}/arms/99"), admin.get(f"/api/v1{C}/arms/99/pulls")
    assert (page.status_code, pulls.status_code) == (404, 404)
    sentence = "There is no arm 99; the arms of this campaign are numbered 0 to 2."
    assert sentence in page.text
    assert pulls.json()["detail"] == sentence
    assert admin.post(f"{C}/arms/99/retire").status_code == 404


PARTS_IN_ORDER = (
    "undecided",
    "<b>Next:</b>",
    'data-part="budget"',
    'data-part="arms"',
    "An arm passes if its mean is above 0.5.",
    'data-part="other-bar"',
    'data-part="pictures"',
)


def test_a_campaign_shows_the_summary_then_the_arms_then_pictures(admin: TestClient, campaign: Campaign) -> None:
    measure(campaign, 9)
    page = admin.get(C).text
    places = [page.index(part) for part in PARTS_IN_ORDER]
    assert places == sorted(places)


def test_a_campaign_without_outcomes_shows_the_command_of_a_worker(admin: TestClient, campaign: Campaign) -> None:
    command = "thresher work http://testserver c/d --command &#39;./measure {arm}&#39;"
    page = admin.get(C).text
    assert '<div class="worker">' in page
    assert f"<code>{command}</code>" in page
    assert 'class="picture"' not in page
    assert "3 arms, not measured yet. Bar: above 0.5. 0 of 30 measurements spent." in page
    campaign.tell(campaign.ask(1)[0], 1)
    later = admin.get(C).text
    assert '<details class="worker">' in later
    assert command in later


def test_a_name_cannot_leave_its_place_in_the_command(admin: TestClient, app: FastAPI) -> None:
    Campaign.create(app.state.registry.storage, "x'; rm -rf ~", arms=["a"], threshold=0.5, budget=5)
    page = html.unescape(admin.get("/campaigns/x%27%3B%20rm%20-rf%20~").text)
    command = re.search(r"<code>(thresher work [^<]+)</code>", page)
    assert command
    assert shlex.split(command[1])[3] == "x'; rm -rf ~"


@pytest.mark.parametrize(
    ("end", "buttons"),
    [
        (lambda campaign: None, {"pause", "extend", "close", "archive"}),
        (lambda campaign: campaign.pause(), {"resume", "extend", "close", "archive"}),
        (lambda campaign: measure(campaign, 30), {"extend", "close", "archive"}),
        (lambda campaign: campaign.close(), {"archive"}),
        (lambda campaign: campaign.archive(), {"unarchive"}),
    ],
    ids=["open", "paused", "ended", "closed", "archived"],
)
def test_a_page_offers_what_can_be_done(
    admin: TestClient, campaign: Campaign, end: Callable[[Campaign], None], buttons: set[str]
) -> None:
    end(campaign)
    assert set(re.findall(r'method="post" action="/campaigns/c%2Fd/(\w+)"', admin.get(C).text)) == buttons


def test_the_list_shows_decisions_once_they_are_computed(admin: TestClient, campaign: Campaign) -> None:
    measure(campaign, 30)
    deadline = time.monotonic() + 60
    while "undecided</li>" not in (page := admin.get("/").text):
        assert "being computed" in page
        assert time.monotonic() < deadline
        time.sleep(0.02)
    counts = campaign.verdicts().counts
    assert re.findall(r"<b>(\d+)</b> (\w+)</li>", page) == [(str(counts[key]), word) for key, word in WORDS.items()]


def test_numbers_have_three_digits_and_every_column_explains_itself(admin: TestClient, campaign: Campaign) -> None:
    campaign.tell_counts("a", n=3, total=2)
    page = admin.get(C).text
    assert '<td class="n" data-label="mean">0.667</td>' in page
    for path in ("/", C, f"{C}/arms/0", f"{C}/log", "/tokens"):
        heads = re.findall(r'<th scope="col"[^>]*>', admin.get(path).text)
        assert len(heads) >= 4
        assert all(re.search(r'title="[^"]+"', head) for head in heads)


def test_the_log_names_the_arms(admin: TestClient, campaign: Campaign) -> None:
    campaign.tell(campaign.ask(1)[0], 1)
    campaign.retire("b")
    page = admin.get(f"{C}/log").text
    for words in ("3 arms added: a, b, c", "1 ticket issued: #1 a", "1 outcome recorded: #1 a = 1", "arm b retired"):
        assert f"<bdi>{words}</bdi>" in page


def test_the_log_is_read_backwards_page_by_page(admin: TestClient, campaign: Campaign) -> None:
    for _ in range(60):
        campaign.pause()
        campaign.resume()
    seen: list[int] = []
    path = f"{C}/log"
    for _ in range(3):
        page = admin.get(path).text
        seen += [int(number) for number in re.findall(r'<th scope="row" class="n">(\d+)</th>', page)]
        older = re.search(r'href="(\?before=\d+)"', page)
        if older is None:
            break
        path = f"{C}/log{older[1]}"
    assert seen == list(range(campaign.standing.events, 0, -1))


def test_what_is_not_there_is_a_page_that_says_so(admin: TestClient) -> None:
    answer = admin.get("/campaigns/nobody")
    assert answer.status_code == 404
    assert "No campaign &#39;nobody&#39;; existing: &#39;c/d&#39;." in answer.text
    assert admin.get("/nothing/here").status_code == 404


def test_a_reader_sees_no_button(app: FastAPI, stranger: TestClient, campaign: Campaign) -> None:
    measure(campaign, 3)
    reading = {"Authorization": f"Bearer {app.state.keyring.new_token('read')}"}
    for path in ("/", C, f"{C}/arms/0"):
        page = stranger.get(path, headers=reading).text
        assert re.findall(r'action="([^"]+)"', page.replace('action="/campaigns/c%2Fd"', "")) == ["/logout"]
        assert "New campaign" not in page
    assert stranger.get("/new", headers=reading).status_code == 403


def test_a_worker_sees_its_campaign_alone(app: FastAPI, stranger: TestClient, campaign: Campaign) -> None:
    Campaign.create(app.state.registry.storage, "second", arms=["x"], threshold=0.5, budget=5, policy="lsa")
    working = {"Authorization": f"Bearer {app.state.keyring.new_token('work', campaign='c/d')}"}
    page = stranger.get("/", headers=working).text
    assert "c/d" in page
    assert "second" not in page
    assert stranger.get("/campaigns/second", headers=working).status_code == 403


def test_every_page_is_sealed(admin: TestClient) -> None:
    for path in ("/", C, f"{C}/arms/0", f"{C}/log", "/new", "/tokens", "/settings"):
        answer = admin.get(path)
        assert answer.status_code == 200
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert not re.search(r"\son\w+=|style=|javascript:", answer.text)
        assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text)


def test_a_refusal_on_a_page_has_no_markup_of_its_input(admin: TestClient) -> None:
    text = "<b>" + "x" * 300
    for answer in (
        admin.get(f"/campaigns/{quote(text, safe='')}"),
        admin.post("/new", data={"name": text, "arms": "arm,cost\n<b>,<i>\n", "threshold": text, "budget": text}),
    ):
        assert 400 <= answer.status_code < 500
        assert "<b>x" not in answer.text
        assert "<i>" not in answer.text
