"""The forms: what they change, once, and what they say when they do not."""

import html
import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign

C = "/campaigns/c%2Fd"
FORM = {"name": "new", "family": "bernoulli", "threshold": "0.5", "budget": "9", "arms": "x\ny\n", "action": "create"}


def test_pause_and_resume(admin: TestClient, campaign: Campaign) -> None:
    answer = admin.post(f"{C}/pause")
    assert (answer.status_code, answer.headers["location"]) == (303, C)
    assert campaign.standing.status == "paused"
    admin.post(f"{C}/resume")
    assert campaign.standing.status == "open"


def test_a_form_that_is_sent_twice_extends_once(admin: TestClient, campaign: Campaign) -> None:
    for _ in range(2):
        assert admin.post(f"{C}/extend", data={"amount": "5", "key": "page-3-30"}).status_code == 303
    assert campaign.budget == 35


@pytest.mark.parametrize("amount", ["much", "nan", "inf", "", "-5", "0", "1e300"])
def test_an_amount_that_is_none_changes_nothing(admin: TestClient, campaign: Campaign, amount: str) -> None:
    answer = admin.post(f"{C}/extend", data={"amount": amount, "key": ""})
    assert answer.status_code == 422
    assert "<h1>" in answer.text
    assert campaign.budget == 30


def test_void_with_a_reason(admin: TestClient, campaign: Campaign) -> None:
    ticket = campaign.ask()
    assert ticket is not None
    campaign.tell(ticket, 1)
    answer = admin.post(f"{C}/arms/0/void", data={"ticket": ticket.id, "reason": "spilt"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{C}/arms/0")
    assert campaign.verdicts()[0].pulls == 0
    assert "voided: spilt" in admin.get(f"{C}/log").text


def test_retire_and_close(admin: TestClient, campaign: Campaign) -> None:
    admin.post(f"{C}/arms/1/retire")
    assert campaign.verdicts()[1].retired
    admin.post(f"{C}/close", data={"reason": "enough"})
    assert campaign.standing.status == "closed"
    assert "closed: enough" in admin.get(f"{C}/log").text


def test_an_archived_campaign_is_hidden_from_the_list_until_it_is_asked_for(
    admin: TestClient, campaign: Campaign
) -> None:
    admin.post(f"{C}/archive", data={"reason": "superseded"})
    assert campaign.standing.status == "archived"
    assert "archived: superseded" in admin.get(f"{C}/log").text
    hidden, shown = admin.get("/").text, admin.get("/?archived=true").text
    assert "Every campaign is archived." in hidden
    assert "Show 1 archived" in hidden
    assert f'href="{C}"' not in hidden
    assert f'href="{C}"' in shown
    admin.post(f"{C}/unarchive")
    assert campaign.standing.status == "open"
    assert f'href="{C}"' in admin.get("/").text


def test_a_text_that_is_too_long_is_named_with_its_limit(admin: TestClient, campaign: Campaign) -> None:
    answer = admin.post(f"{C}/close", data={"reason": "x" * 201})
    assert answer.status_code == 422
    assert "Reason must have at most 200 characters." in answer.text
    assert campaign.standing.status == "open"


def test_a_campaign_is_created_from_a_file(admin: TestClient, app: FastAPI) -> None:
    files = {"file": ("arms.csv", b"arm,threshold\nx,0.25\ny,0.75\n", "text/csv")}
    given = FORM | {"threshold": "", "arms": "typed, and not used"}
    answer = admin.post("/new", data=given, files=files)
    assert (answer.status_code, answer.headers["location"]) == (303, "/campaigns/new")
    rows = Campaign.open(app.state.registry.storage, "new").verdicts()
    assert [(row.arm, row.threshold) for row in rows] == [("x", 0.25), ("y", 0.75)]


@pytest.mark.parametrize("field", ["file", "items_file"])
def test_a_file_that_is_not_utf_8_is_refused(admin: TestClient, app: FastAPI, field: str) -> None:
    files = {field: ("arms.csv", "caf\u00e9\nth\u00e9\n".encode("latin-1"), "text/csv")}
    answer = admin.post("/new", data=FORM | {"items": ""}, files=files)
    assert answer.status_code == 422
    assert "rms.csv, line 1, encoding is 'unknown'; must be UTF-8; save the file" in html.unescape(answer.text)
    assert "\ufffd" not in answer.text
    assert app.state.registry.names() == ["c/d"]


def test_the_bar_of_the_form_is_for_arms_without_one(admin: TestClient, app: FastAPI) -> None:
    given = FORM | {"arms": "arm,threshold\nx,0.25\ny,\n"}
    preview = admin.post("/new", data=given | {"action": "preview"})
    assert (preview.status_code, "None" in preview.text) == (200, False)
    assert admin.post("/new", data=given).status_code == 303
    assert [row.threshold for row in Campaign.open(app.state.registry.storage, "new").verdicts()] == [0.25, 0.5]


def test_a_preview_creates_nothing_and_shows_the_first_ten(admin: TestClient, app: FastAPI) -> None:
    names = "\n".join(f"arm {i}" for i in range(25))
    answer = admin.post("/new", data=FORM | {"arms": names, "budget": "50", "action": "preview"})
    assert answer.status_code == 200
    assert "Preview: 25 arms" in answer.text
    assert len(re.findall(r"<bdi>arm \d+</bdi>", answer.text)) == 10
    assert "… and 15 more." in answer.text
    assert app.state.registry.names() == ["c/d"]
    answer = admin.post("/new", data=FORM | {"arms": "fair\nFair", "budget": "50", "action": "preview"})
    assert "blanks are different arms: 'fair' and 'Fair'" in html.unescape(answer.text)


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        ({"arms": ""}, "number of arms is 0; must be at least 1"),
        ({"arms": "arm,cost\nx,much\n"}, "<b>Line 2:</b> column &#39;cost&#39; is &#39;much&#39;; must be a number"),
        ({"arms": "arm,threshold\nx,2\n", "threshold": ""}, "<b>Line 2:</b>"),
        ({"budget": ""}, "Budget is missing; must be the number of measurements that may be made."),
        ({"budget": "many"}, "Budget is &#39;many&#39;; must be a number."),
        ({"budget": "1"}, "budget"),
        ({"threshold": ""}, "threshold"),
        ({"family": "two-point"}, "two-point"),
        ({"name": ""}, "name"),
        ({"name": "c/d"}, "There is a campaign &#39;c/d&#39; already"),
        ({"lease": "0"}, "lease"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(
    admin: TestClient, app: FastAPI, part: dict[str, str], complaint: str
) -> None:
    answer = admin.post("/new", data=FORM | {"lease": "77"} | part)
    assert answer.status_code == 422
    assert complaint in answer.text
    assert 'role="alert"' in answer.text
    assert f'value="{part.get("lease", "77")}"' in answer.text
    assert app.state.registry.names() == ["c/d"]


def test_the_form_speaks_plainly_and_has_every_term(admin: TestClient) -> None:
    page = admin.get("/new").text
    assert '<option value="bernoulli" selected>pass/fail (0 or 1)</option>' in page
    assert '<option value="two-point"' not in page
    for name in ("policy", "stop_mistakes", "stop_price", "guarantee", "goal", "tolerance", "sigma", "low", "high"):
        assert page.count(f' name="{name}"') == 1
    folded = page[page.index("<details><summary>Further options") :].partition("</details>")[0]
    assert all(f' name="{name}"' in folded for name in ("lease", "least_cost", "most_cost"))


def test_every_policy_of_the_form_can_run_a_campaign(admin: TestClient, app: FastAPI) -> None:
    offered = re.findall(r'<option value="([^"]+)"></option>', admin.get("/new").text)
    assert {"stopping", "lsa"} <= set(offered)
    for policy in offered:
        answer = admin.post("/new", data=FORM | {"name": policy, "policy": policy})
        assert (policy, answer.status_code) == (policy, 303)


def test_stop_rules_goal_guarantee_and_costs_reach_the_campaign(admin: TestClient, app: FastAPI) -> None:
    terms = {"policy": "stopping", "stop_mistakes": "0.5", "guarantee": "fdr", "goal": "decide", "tolerance": "0.01"}
    terms |= {"least_cost": "0.5", "most_cost": "2"}
    assert admin.post("/new", data=FORM | terms).status_code == 303
    made = Campaign.open(app.state.registry.storage, "new").terms
    assert (made.stop_mistakes, made.guarantee, made.goal, made.tolerance) == (0.5, "fdr", "decide", 0.01)
    assert (made.least_cost, made.most_cost) == (0.5, 2.0)


@pytest.mark.parametrize(
    "path", ["pause", "resume", "extend", "close", "archive", "unarchive", "arms/0/void", "arms/0/retire"]
)
def test_a_page_of_another_site_changes_nothing(admin: TestClient, campaign: Campaign, path: str) -> None:
    before = campaign.standing.events
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "", "Origin": "https://elsewhere.example"},
    ):
        answer = admin.post(f"{C}/{path}", headers=headers, data={"amount": "5", "key": "", "ticket": "x"})
        assert answer.status_code == 403
    assert campaign.standing.events == before


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        ({"budget": "-3"}, "Budget is -3; must be a number"),
        ({"budget": "1e400"}, "Budget is inf; must be a number"),
        ({"name": ""}, "must have 1 to 500 characters"),
        ({"name": ".."}, "which cannot be part of a URL"),
        ({"policy": "oracle"}, "must not need the true means"),
        ({"items": "2.5"}, "Items is '2.5'; must be a whole number, or names, one on each line"),
    ],
)
def test_a_preview_finds_the_errors_of_a_creation(admin: TestClient, part: dict[str, str], complaint: str) -> None:
    for action in ("preview", "create"):
        answer = admin.post("/new", data=FORM | part | {"action": action})
        assert answer.status_code == 422
        assert complaint in html.unescape(answer.text)
