"""Every page, light and dark, wide and narrow: accessible, nothing from outside, nothing that does not fit."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from chromium import Visit
from tests.support.accessibility import violations
from tests.support.checkout import CHECKOUT
from thresher.campaign import Campaign
from thresher.cli.report import html_of

pytestmark = pytest.mark.xdist_group("browser")

WIDE, NARROW = (1280, 900), (390, 844)
PAGES = {
    "the list": "/",
    "a campaign": "/campaigns/prompts",
    "a campaign with a bar for each arm": "/campaigns/latency",
    "a campaign without outcomes": "/campaigns/labels%2C%20second%20round",
    "an arm": "/campaigns/prompts/arms/4",
    "an arm without outcomes": "/campaigns/labels%2C%20second%20round/arms/0",
    "a campaign that has ended": "/campaigns/prompts%2C%20first%20round",
    "the log": "/campaigns/prompts/log",
    "items": "/campaigns/exam/items",
    "an arm with items": "/campaigns/exam/arms/3",
    "tokens": "/tokens",
    "settings": "/settings",
    "the form": "/new",
    "an import": "/import",
    "a preview of an import": "/import",
    "a page that is not there": "/campaigns/nothing",
}
OF_ALL_COLOURS = ("the list", "a campaign", "an arm", "the log", "an arm with items", "tokens", "the form")
WORKERS = CHECKOUT / "tests" / "unit" / "run" / "importers" / "data" / "label-studio-workers.json"
UPLOAD = "arm,threshold\nsmall,0.8\nmedium,high\nlarge,0.9\nlarge,0.7\n"


@pytest.mark.by_day("dark and narrow", "all colours, light and wide")
@pytest.mark.parametrize(
    ("scheme", "size", "examined"),
    [
        ("dark", NARROW, PAGES),
        ("light", WIDE, OF_ALL_COLOURS),  # the markup of the others depends on neither scheme nor width
        ("light", WIDE, PAGES),
        ("light", NARROW, PAGES),
        ("dark", WIDE, PAGES),
    ],
    ids=["dark and narrow", "all colours, light and wide", "light and wide", "light and narrow", "dark and wide"],
)
def test_every_page_is_accessible_and_fits(
    visiting: Any, scheme: str, size: tuple[int, int], examined: Collection[str]
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    tab = visiting(color_scheme=scheme, viewport=viewport).tab
    faults: dict[str, list[str]] = {}
    for name, path in PAGES.items():
        tab.goto(path)
        if "the form" in name:
            tab.fill("#name", "again")
            tab.fill("#budget", "9")
            tab.fill("#arms", UPLOAD)
            tab.click("text=Preview")
            tab.wait_for_selector("text=Line 3:")
        if name == "a preview of an import":
            tab.set_input_files("#file", WORKERS)
            tab.click("text=Show the file")
            tab.fill("#campaign", "birds")
            tab.fill("#item", "annotator")
            tab.fill("#threshold", "0.5")
            tab.fill("#budget", "20")
            tab.check("[name=create]")
            tab.click("text=Preview")
            tab.wait_for_selector("text=What was understood")
        faults[name] = violations(tab) if name in examined else []
        if tab.evaluate("document.documentElement.scrollWidth") > size[0]:
            faults[name].append("it scrolls sideways")
    assert [f"{name}: {what}" for name, found in faults.items() for what in found] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_way_in_is_accessible(browser: Any, house: Any, scheme: str) -> None:
    context = browser.new_context(base_url=house.address, color_scheme=scheme)
    tab = context.new_page()
    tab.goto("/")
    assert violations(tab) == []
    tab.fill("#code", "AAAA-AAAA-AAAA-AAAA")
    tab.click("main button")
    tab.wait_for_selector("[role=alert]")
    assert violations(tab) == []
    context.close()


@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", NARROW)], ids=["light", "dark"])
def test_a_report_is_accessible_and_needs_nothing_but_itself(
    browser: Any, house: Any, tmp_path: Path, scheme: str, size: tuple[int, int]
) -> None:
    campaign = Campaign.open(house.storage, "prompts")
    (tmp_path / "report.html").write_text(html_of(campaign, campaign.verdicts()), encoding="utf-8")
    viewport = {"width": size[0], "height": size[1]}
    visit = Visit(browser, tmp_path.as_uri(), color_scheme=scheme, viewport=viewport, offline=True)
    visit.tab.goto(f"{visit.address}/report.html")
    assert violations(visit.tab) == []
    assert visit.tab.evaluate("document.documentElement.scrollWidth") <= size[0]
    row = visit.tab.locator("tbody tr").first
    for part in (".decision", ".strip", "[data-label=interval]", "[data-label='chance of error']"):
        box = row.locator(part).bounding_box()
        assert box is not None, part
        assert box["x"] + box["width"] <= size[0]
    visit.leave()
    assert visit.faults == []
