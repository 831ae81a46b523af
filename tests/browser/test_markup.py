"""Names that would run something, in every view: no dialog, no breach of the policy, no error, no request elsewhere.

The fixture that gives the tabs looks at all of that when a test is over.
"""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from chromium import Visit
from tests.support.hostile.markup import MARKUP
from thresher.campaign import Campaign
from thresher.cli.report import html_of

pytestmark = pytest.mark.xdist_group("browser")
MANY = f"all: {MARKUP[0]}"
HANDLERS = """[...document.querySelectorAll('*')].filter((element) =>
    [...element.attributes].some((attribute) => attribute.name.startsWith('on'))).length"""


def url(*parts: object) -> str:
    """Return the address of a campaign's page."""
    return "/".join(["/campaigns", *(quote(str(part), safe="") for part in parts)])


def test_there_are_enough_of_them() -> None:
    assert len(set(MARKUP)) == len(MARKUP) >= 60


def test_the_list_shows_every_name_as_it_is(visiting: Any, hostile_house: Any) -> None:
    tab = visiting(hostile_house).tab
    tab.goto("/")
    assert set(MARKUP) <= set(tab.locator("tbody th").all_text_contents())
    assert tab.locator("main script, main iframe, main object, main embed").count() == 0
    assert tab.evaluate(HANDLERS) == 0


def test_a_campaign_shows_every_arm_as_it_is(visiting: Any, hostile_house: Any) -> None:
    tab = visiting(hostile_house).tab
    tab.goto(url(MANY))
    tab.wait_for_selector("text=Live")
    names = {text.strip() for text in tab.locator("table.arms tbody th").all_text_contents()}
    assert names == {name.strip() for name in MARKUP}
    assert tab.text_content("h1") == MANY
    assert tab.evaluate(HANDLERS) == 0
    tab.hover("figure >> nth=0")
    tab.goto(url(MANY, "log"))
    words = " ".join(tab.locator("tbody td.name").all_text_contents())
    assert all(name in words for name in MARKUP[-40:])  # the newest hundred events


@pytest.mark.parametrize(
    ("view", "names"),
    [
        ([], MARKUP[::12]),
        (["arms", 0], MARKUP[4::12]),
        pytest.param([], MARKUP, marks=pytest.mark.nightly),
        pytest.param(["arms", 0], MARKUP, marks=pytest.mark.nightly),
    ],
    ids=["some campaigns", "some arms", "all campaigns", "all arms"],
)
def test_each_name_on_a_page_of_its_own(
    visiting: Any, hostile_house: Any, view: list[object], names: tuple[str, ...]
) -> None:
    tab = visiting(hostile_house).tab
    for name in names:
        tab.goto(url(name, *view))
        assert tab.text_content("h1") == name
        assert name in tab.title()
        assert tab.evaluate(HANDLERS) == 0


def test_what_is_sent_back_is_shown_as_it_is(visiting: Any, hostile_house: Any) -> None:
    tab = visiting(hostile_house).tab
    for name in (*MARKUP[8::24], *(name for name in MARKUP if name.startswith('"'))):  # which would end an attribute
        tab.goto(f"{url(MANY)}?search={quote(name, safe='')}")
        assert tab.input_value("#search") == name
        tab.goto(url("nobody " + name))
        assert tab.text_content("h1") == "Not found"
    tab.goto("/new")
    tab.fill("#name", MARKUP[0])
    tab.fill("#threshold", "0.5")
    tab.fill("#budget", MARKUP[8][:40])
    tab.fill("#arms", "arm\n" + "\n".join('"' + name.replace('"', '""') + '"' for name in MARKUP))
    tab.click("button[value=preview]")
    assert "must be a number" in tab.locator("[role=alert]").first.text_content()
    assert tab.input_value("#name") == MARKUP[0]
    tab.fill("#budget", "1000")
    tab.click("button[value=preview]")
    tab.wait_for_selector(f"text=Preview: {len(MARKUP)} arms")
    assert tab.locator("tbody td").first.text_content() == MARKUP[0]


def test_a_report_shows_every_name_as_it_is(browser: Any, hostile_house: Any, tmp_path: Path) -> None:
    campaign = Campaign.open(hostile_house.storage, MANY)
    (tmp_path / "report.html").write_text(html_of(campaign, campaign.verdicts()), encoding="utf-8")
    visit = Visit(browser, tmp_path.as_uri())
    visit.tab.goto(f"{visit.address}/report.html")
    assert sorted(visit.tab.locator("tbody th bdi").all_text_contents()) == sorted(MARKUP)
    assert visit.tab.text_content("h1") == MANY
    assert visit.tab.evaluate(HANDLERS) == 0
    visit.leave()
    assert visit.faults == []
