"""What a reader has opened, typed or chosen stays while a page goes on being updated."""

from typing import Any

import pytest

from tests.browser.test_campaign import WORKERS, shows
from tests.support.accessibility import violations
from thresher.campaign import Campaign

pytestmark = pytest.mark.xdist_group("browser")


def test_an_open_details_stays_open_and_its_part_goes_on(visiting: Any, house: Any) -> None:
    campaign = Campaign.create(house.storage, "read on", arms=["a", "b"], threshold=0.5, budget=90)
    campaign.tell_counts("a", n=3, total=2)
    tab = visiting().tab
    tab.goto("/campaigns/read%20on")
    shows(tab, "Live", where="[data-connection]")
    tab.click("summary:text('Command that starts a worker')")
    tab.click("summary:text('What the columns mean')")
    tab.click("summary:text('Extend')")
    tab.fill("#amount", "123")
    campaign.tell_counts("b", n=40, total=0)
    shows(tab, "43 of 90 measurements spent", where="[data-part=summary]")  # the parts with the open ones
    shows(tab, "✘ fail", where="table.arms")
    assert tab.locator("details[open]").count() == 3
    assert tab.input_value("#amount") == "123"
    assert tab.evaluate("document.activeElement.id") == "amount"
    tab.click("button:text('Extend')")
    shows(tab, "43 of 213 spent", where=".budget")


def test_what_is_typed_into_the_search_is_kept(visiting: Any, house: Any) -> None:
    campaign = Campaign.create(house.storage, "type on", arms=["a", "b"], threshold=0.5, budget=90)
    tab = visiting().tab
    tab.goto("/campaigns/type%20on")
    shows(tab, "Live", where="[data-connection]")
    tab.focus("#search")
    tab.keyboard.type("b")
    campaign.tell_counts("a", n=30, total=30)
    shows(tab, "✔ pass", where="table.arms")
    tab.keyboard.type("!")
    assert tab.input_value("#search") == "b!"


def test_the_list_is_sorted_and_searched(visiting: Any, house: Any) -> None:
    tab = visiting().tab
    tab.click("nav[aria-label=Order] >> text=name")
    tab.wait_for_url("**order=name*")
    names = tab.locator("table.campaigns tbody th").all_text_contents()
    assert names == sorted(names, key=str.casefold)
    tab.fill("#search", "ROUND")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**search=ROUND*")
    names = tab.locator("table.campaigns tbody th").all_text_contents()
    assert names == ["labels, second round", "prompts, first round"]
    shows(tab, "Live", where="[data-connection]")
    assert tab.locator("table.campaigns tbody th").count() == 2  # also after an update


def test_an_import_shows_the_file_before_it_asks(visiting: Any) -> None:
    tab = visiting().tab
    tab.click("header >> text=Import a log")
    assert tab.locator("main input:visible").count() == 1
    tab.set_input_files("#file", WORKERS)
    tab.click("text=Show the file")
    shows(tab, "15 records, 4 columns", where="h2")
    shows(tab, "yes · yes · no", where="table")
    assert tab.input_value("#campaign") == "label-studio-workers"
    assert tab.locator("#columns option").count() == 4


def test_a_dot_leads_to_its_arm(visiting: Any) -> None:
    tab = visiting().tab
    tab.goto("/campaigns/prompts")
    shows(tab, "Live", where="[data-connection]")  # what comes with it has replaced the picture
    dot = tab.locator("figure a[href*='/arms/'] circle").last  # drawn on top of the others
    name = dot.locator("title").text_content().partition(":")[0]
    dot.click(force=True)
    tab.wait_for_url("**/arms/*")
    assert tab.text_content("h1") == name


def test_a_slider_shows_what_another_bar_would_change(visiting: Any, house: Any) -> None:
    campaign = Campaign.create(house.storage, "another bar", arms=["good", "fair", "bad"], threshold=0.5, budget=400)
    for arm, total in (("good", 98), ("fair", 70), ("bad", 10)):
        campaign.tell_counts(arm, n=100, total=total)
    events = campaign.standing.events
    visit = visiting()
    tab = visit.tab
    tab.goto("/campaigns/another%20bar")
    shows(tab, "Live", where="[data-connection]")
    assert "bar=" not in tab.url
    tab.focus("[type=range]")
    tab.keyboard.press("End")  # the keyboard moves it: the highest bar that an arm is above
    shows(tab, "decisions would change", where="[data-part=other-bar]")
    tab.fill("#other-bar", "0.85")
    shows(
        tab, "With this bar 1 of 3 decisions would change. The campaign keeps its own.", where="[data-part=other-bar]"
    )
    assert tab.text_content(".flips li a") == "fair"
    assert "bar=0.85" in tab.url
    assert tab.input_value("[type=range]") == "0.85"
    campaign.tell_counts("good", n=90, total=0)  # an update of the page keeps the bar
    shows(tab, "2 of 3 decisions would change", where="[data-part=other-bar]")
    assert tab.input_value("#other-bar") == "0.85"
    tab.fill("#other-bar", "1.5")
    shows(tab, "Bar is 1.5; must be", where="[data-part=other-bar] .complaint")
    assert violations(tab) == []
    assert {row.threshold for row in campaign.verdicts()} == {0.5}
    assert campaign.standing.events == events + 1


def test_another_bar_needs_no_script(visiting: Any) -> None:
    tab = visiting(java_script_enabled=False).tab
    tab.goto("/campaigns/prompts")
    tab.fill("#other-bar", "30 %")
    tab.click(".other-bar button")
    tab.wait_for_url("**bar=30*")
    shows(tab, "Bar: above 0.3.", where="[data-part=other-bar]")
