"""What people do with a campaign in a browser, from the code on the terminal to the end."""

import csv
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.checkout import CHECKOUT
from thresher.campaign import Campaign

pytestmark = pytest.mark.xdist_group("browser")

WORKERS = CHECKOUT / "tests" / "unit" / "run" / "importers" / "data" / "label-studio-workers.json"
WRONG = "arm,threshold\nsmall,0.8\nmedium,high\nlarge,0.9\nlarge,0.7\n"
RIGHT = "arm,threshold\nsmall,0.8\nmedium,0.8\nlarge,0.8\n"
TELLS = 200


def shows(tab: Any, text: str, *, where: str = "main") -> None:
    """Wait until a part of the page has a text."""
    tab.locator(where, has_text=text).first.wait_for()


def upload(tab: Any, path: Path, text: str, *, action: str) -> None:
    """Send the form with a file."""
    path.write_text(text)
    tab.set_input_files("#file", path)
    tab.click(f"button[value={action}]")


def create(tab: Any, folder: Path) -> None:
    """Create a campaign from a file: first one with wrong lines, then the right one, previewed."""
    tab.click("header >> text=New campaign")
    tab.fill("#name", "by hand")
    tab.fill("#budget", "300")
    upload(tab, folder / "wrong.csv", WRONG, action="create")
    shows(tab, "Line 3: column 'threshold' is 'high'; must be a number", where="[role=alert]")
    shows(tab, "Line 5: column 'arm' is 'large'; must be unique: line 4 has it too", where="[role=alert]")
    upload(tab, folder / "right.csv", RIGHT, action="preview")
    shows(tab, "Preview: 3 arms")
    assert tab.locator("tbody tr").count() == 3
    tab.click("button[value=create]")
    tab.wait_for_url("**/campaigns/by%20hand")
    shows(tab, "0 of 300 spent", where=".budget")


def watch_tells(tab: Any, campaign: Campaign) -> None:
    """See outcomes arrive without touching the page."""
    shows(tab, "Live", where="[data-connection]")
    tab.evaluate("window.isTheSamePage = true")
    for n in range(TELLS):
        ticket = campaign.ask()
        assert ticket is not None
        campaign.tell(ticket, ticket.arm == "large" or n % 3 == 0)
        if n == TELLS // 2:
            shows(tab, "outcomes", where=".budget")
    shows(tab, f"{TELLS} of 300 spent", where=".budget")
    assert tab.evaluate("window.isTheSamePage")
    shows(tab, "pass", where="table.arms")


def void_one(tab: Any, campaign: Campaign) -> None:
    """Take an outcome of the first arm back, on the arm's own page."""
    before = campaign.verdicts()[0].pulls
    tab.click("table.arms >> text=small")
    tab.wait_for_url("**/arms/0")
    assert tab.text_content("h1") == "small"
    tab.locator("details.drop summary").first.click()
    tab.locator("details[open] input[name=reason]").fill("a wrong label")
    tab.click("text=Void it")
    tab.locator("tr.retired").wait_for()
    assert campaign.verdicts()[0].pulls == before - 1


def extend_and_pause(tab: Any, campaign: Campaign) -> None:
    """Give more budget, and stop and go."""
    tab.click(".crumbs a")
    tab.click("summary:text('Extend')")
    tab.fill("#amount", "100")
    tab.click("button:text('Extend')")
    shows(tab, "of 400 spent", where=".budget")
    tab.click("button:text('Pause')")
    shows(tab, "paused", where=".badge")
    assert campaign.ask() is None
    tab.click("button:text('Resume')")
    shows(tab, "open", where=".badge")
    assert campaign.budget == 400


def export(tab: Any) -> None:
    """Save the verdicts as a file."""
    with tab.expect_download() as download:
        tab.click("text=Verdicts as CSV")
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert [row["arm"] for row in rows] == ["small", "medium", "large"]
    assert sum(int(row["pulls"]) for row in rows) == TELLS - 1


def read_the_log(tab: Any, campaign: Campaign) -> None:
    """Find in the log what was done."""
    tab.click("text=Event log")
    for words in ("outcome #", "voided: a wrong label", "budget extended by 100", "paused", "resumed"):
        shows(tab, words, where="tbody")
    assert tab.locator("tbody tr").count() == 100
    tab.click("text=Older")
    tab.wait_for_url("**before=*")
    assert int(tab.locator("tbody th").first.text_content()) == campaign.standing.events - 100


def close(tab: Any, campaign: Campaign) -> None:
    """End it; what is left is to archive it."""
    tab.click(".crumbs a")
    tab.click("summary:text('Close')")
    tab.fill("#reason", "done")
    tab.click("text=Close the campaign")
    shows(tab, "closed", where=".badge")
    assert tab.locator(".govern summary").all_text_contents() == ["Archive"]
    assert campaign.standing.status == "closed"


def test_a_campaign_from_the_form_to_its_end(visiting: Any, house: Any, tmp_path: Path) -> None:
    tab = visiting(accept_downloads=True).tab
    create(tab, tmp_path)
    campaign = Campaign.open(house.storage, "by hand")
    watch_tells(tab, campaign)
    void_one(tab, campaign)
    extend_and_pause(tab, campaign)
    export(tab)
    read_the_log(tab, campaign)
    close(tab, campaign)


def test_a_code_lets_one_in_once_and_who_logs_out_is_out(browser: Any, house: Any, visiting: Any) -> None:
    tab = visiting().tab
    cookie = tab.context.cookies()[0]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    tab.click("text=Log out")
    tab.wait_for_selector("#code")
    tab.goto("/campaigns/prompts")
    assert tab.locator("#code").count() == 1
    code = house.code()
    tab.fill("#code", code.lower().replace("-", " "))
    tab.click("main button")
    tab.wait_for_url("**/campaigns/prompts")  # where one wanted to go
    other = browser.new_context(base_url=house.address).new_page()
    other.goto("/")
    other.fill("#code", code)
    other.click("main button")
    other.wait_for_selector("text=This code or token is unknown here, or the code has been used.")
    other.context.close()


def test_the_keyboard_reaches_the_arms_and_search_finds_them(visiting: Any) -> None:
    tab = visiting().tab
    tab.goto("/campaigns/prompts")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.focus("#search")
    tab.keyboard.type("arithmetic")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**search=arithmetic*")
    names = tab.locator("table.arms tbody th").all_text_contents()
    assert sorted(names) == ["arithmetic / large", "arithmetic / medium", "arithmetic / small"]


def test_pages_work_without_scripts(visiting: Any, house: Any) -> None:
    tab = visiting(java_script_enabled=False).tab
    tab.goto("/campaigns/prompts")
    assert tab.locator("figure svg.picture").count() >= 2
    assert tab.locator("figure svg.picture").first.is_visible()
    tab.click("button:text('Pause')")
    shows(tab, "paused", where=".badge")
    tab.click("button:text('Resume')")
    shows(tab, "open", where=".badge")


def test_the_list_is_live(visiting: Any, house: Any) -> None:
    tab = visiting().tab
    tab.goto("/")
    shows(tab, "Live", where="[data-connection]")
    tab.evaluate("window.isTheSamePage = true")
    campaign = Campaign.create(house.storage, "while you watch", arms=["a", "b"], threshold=0.5, budget=200)
    row = "tr:has(a[href='/campaigns/while%20you%20watch'])"
    shows(tab, "No outcome yet.", where=row)
    campaign.tell_counts("a", n=60, total=60)
    campaign.tell_counts("b", n=60, total=0)
    shows(tab, "0 undecided", where=row)
    shows(tab, "1 pass", where=row)
    assert tab.evaluate("window.isTheSamePage")


def test_a_token_is_created_and_revoked(visiting: Any, house: Any) -> None:
    tab = visiting().tab
    tab.click("header >> text=Tokens")
    tab.select_option("#scope", "read")
    tab.fill("#label", "made in a browser")
    tab.click("main button:text('Create')")
    token = tab.text_content(".made code")
    assert house.app.state.keyring.check(token, kind="token").scope == "read"
    row = tab.locator("tr", has_text="made in a browser")
    row.locator("summary").click()
    row.locator("button").click()
    row.wait_for(state="detached")
    assert house.app.state.keyring.check(token, kind="token") is None


def test_a_log_is_imported_after_its_preview_without_choosing_the_file_again(visiting: Any, house: Any) -> None:
    tab = visiting().tab
    tab.goto("/import")
    tab.set_input_files("#file", WORKERS)
    tab.click("text=Show the file")
    tab.fill("#campaign", "clips")
    tab.fill("#arm", "clip")
    tab.fill("#item", "annotator")
    tab.check("[name=create]")
    tab.fill("#threshold", "0.5")
    tab.fill("#budget", "20")
    tab.click("text=Preview")
    shows(tab, "has no column 'clip'", where="[role=alert]")
    tab.fill("#arm", "data.clip")
    tab.click("text=Preview")
    shows(tab, "What was understood", where="h2")
    assert "clips" not in {standing.name for standing in Campaign.list(house.storage)}
    tab.click("text=Import 15 outcomes into clips")
    tab.wait_for_url("**/campaigns/clips")
    assert Campaign.open(house.storage, "clips").standing.told == 15


def test_the_scores_of_a_judge_are_imported_by_a_field_of_the_form(visiting: Any, house: Any) -> None:
    campaign = Campaign.create(house.storage, "judged", arms=["a", "b"], items=["q1", "q2"], threshold=0.5, budget=4)
    content = b"arm,item,score\na,q1,1\na,q2,0\nb,q1,1\n"
    tab = visiting().tab
    tab.goto("/import?campaign=judged")
    tab.set_input_files("#file", {"name": "judge.csv", "mimeType": "text/csv", "buffer": content})
    tab.click("text=Show the file")
    assert not tab.is_visible("#proxy")
    tab.click("summary:text('More about the file')")
    assert tab.is_visible("#repeat")
    tab.fill("#proxy", "score")
    tab.click("text=Preview")
    tab.click("text=Import 3 scores into judged")
    tab.wait_for_url("**/campaigns/judged")
    assert campaign.standing.told == 0
    assert [arm.labels for arm in campaign.judge_agreement().arms] == [0, 0]


def test_fields_of_one_kind_of_outcome_appear_with_it(visiting: Any) -> None:
    tab = visiting().tab
    tab.goto("/new")
    assert not tab.is_visible("#family")
    tab.click("summary:text('More:')")
    assert not tab.is_visible("#low")
    assert not tab.is_visible("#sigma")
    tab.select_option("#family", "bounded")
    assert tab.is_visible("#low")
    tab.select_option("#family", label="a number with a known standard deviation")
    assert tab.is_visible("#sigma")
    assert not tab.is_visible("#low")


def test_a_phone_shows_the_decision_the_interval_and_the_chance_of_error(visiting: Any) -> None:
    tab = visiting(viewport={"width": 390, "height": 844}).tab
    tab.goto("/campaigns/prompts")
    # Read at once: an update may replace the table at any moment.
    parts = ["words", "name", "strip", "n[data-label=interval]", "n[data-label='chance of error']"]
    widths = tab.evaluate(
        """(parts) => parts.map((part) =>
            document.querySelector(`table.arms tbody tr .${part}`).getBoundingClientRect().width)""",
        parts,
    )
    assert min(widths) > 0, dict(zip(parts, widths, strict=True))
    assert widths[2] > 300
    assert tab.locator("table.arms tbody tr").first.locator(".strip .interval").count() == 1
    assert tab.evaluate("document.querySelector('table.arms').parentElement.scrollWidth") <= 390


def test_a_hidden_page_holds_no_connection_and_reconnects(visiting: Any, house: Any) -> None:
    campaign = Campaign.create(house.storage, "seen or not", arms=["a"], threshold=0.5, budget=50)
    streams = house.app.state.metrics.watchers
    tab = visiting().tab
    tab.goto("/campaigns/seen%20or%20not")
    shows(tab, "Live", where="[data-connection]")
    before = count_of(streams)
    turn(tab, is_hidden=True)
    until(lambda: count_of(streams) < before)
    campaign.tell_counts("a", n=7, total=7)
    turn(tab, is_hidden=False)
    shows(tab, "7 of 50 spent", where=".budget")
    assert count_of(streams) == before


def count_of(streams: Any) -> float:
    """Return how many pages and workers wait for news."""
    return float(streams.collect()[0].samples[0].value)


def turn(tab: Any, *, is_hidden: bool) -> None:
    """Let a tab believe that it is seen, or not."""
    tab.evaluate(
        f"Object.defineProperty(document, 'hidden', {{ value: {str(is_hidden).lower()}, configurable: true }})"
    )
    tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
