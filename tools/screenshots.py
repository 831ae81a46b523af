"""Take a picture of every page of the dashboard, light and dark, wide and narrow, for a designer's eye.

``PYTHONPATH=. python tools/screenshots.py out/screenshots``; with ``--docs`` also those that the documentation shows.
"""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from PIL import Image

from chromium import browsing
from sample_campaigns import furnish
from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.cli.report import html_of
from thresher.dashboard import create_app
from thresher.service import Settings

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
PAGES = {
    "login": "/",
    "campaigns": "/",
    "campaign": "/campaigns/prompts",
    "campaign-other-bar": "/campaigns/prompts?bar=0.85",
    "campaign-relative": "/campaigns/latency",
    "campaign-untouched": "/campaigns/labels%2C%20second%20round",
    "campaign-search": "/campaigns/prompts?kind=open&order=wrong&search=large",
    "arm": "/campaigns/prompts/arms/4",
    "arm-untouched": "/campaigns/labels%2C%20second%20round/arms/0",
    "campaign-ended": "/campaigns/prompts%2C%20first%20round",
    "campaign-many": "/campaigns/nightly%20tests",
    "campaign-control": "/campaigns/checkout%20page",
    "campaign-items": "/campaigns/exam",
    "items": "/campaigns/exam/items",
    "allocation": "/campaigns/prompts/allocation",
    "log": "/campaigns/prompts/log",
    "tokens": "/tokens",
    "tokens-new": "/tokens",
    "settings": "/settings",
    "new": "/new",
    "new-preview": "/new",
    "import": "/import",
    "import-file": "/import",
    "import-preview": "/import",
    "import-wrong": "/import",
    "error": "/campaigns/nothing",
}
LOG = Path(__file__).parents[1] / "tests/unit/run/importers/data/label-studio-workers.json"
UPLOAD = "arm,threshold\nsmall,0.8\nmedium,high\nlarge,0.9\nlarge,0.7\n"
FOR_DOCS = {
    "campaign": "dashboard-campaign",
    "report": "report",
    "campaigns": "dashboard-list",
    "arm": "dashboard-arm",
    "tokens": "dashboard-tokens",
    "new-preview": "dashboard-new",
    "import-preview": "dashboard-import",
}


def shots(address: str, code: str, report: str, *, scheme: Scheme, size: str) -> Iterator[tuple[str, Any]]:
    """Yield each page by its name, open in a browser."""
    width, height = SIZES[size]
    with browsing() as browser:
        context = browser.new_context(
            base_url=address, color_scheme=scheme, viewport={"width": width, "height": height}, reduced_motion="reduce"
        )
        tab = context.new_page()
        for name, path in PAGES.items():
            tab.goto(path)
            if name == "login":
                yield name, tab
                tab.fill("#code", code)
                tab.click("main button")
                continue
            if name == "tokens-new":
                tab.select_option("#scope", "work")
                tab.select_option("#campaign", "prompts")
                tab.fill("#label", "grader 1")
                tab.click("main button:text('Create')")
            if name == "new-preview":
                tab.fill("#name", "prompts, again")
                tab.fill("#budget", "500")
                tab.fill("#arms", UPLOAD)
                tab.click("text=Preview")
            if name == "import-file":
                tab.set_input_files("#file", LOG)
                tab.click("text=Show the file")
            elif name.startswith("import-"):
                tab.set_input_files("#file", LOG)
                tab.click("text=Show the file")
                tab.fill("#campaign", "birds")
                tab.fill("#arm", "data.clip" if name == "import-preview" else "clip")
                tab.fill("#item", "annotator")
                tab.click("summary:text('More about the file')")
                tab.fill("#leave_out", "annotator=3")
                tab.check("[name=create]")
                tab.fill("#threshold", "0.5")
                tab.fill("#budget", "20")
                tab.click("text=Preview")
            tab.wait_for_function("!document.body.innerText.includes('being computed')")
            tab.wait_for_timeout(400)  # the curves are drawn on the next frame
            yield name, tab
        tab.goto("about:blank")  # without the policy of the dashboard
        tab.set_content(report)
        yield "report", tab


def for_docs(tab: Any, path: Path) -> None:
    """Write what is seen of a page without scrolling, in few colours: a page has few, and the file is small."""
    with Image.open(io.BytesIO(tab.screenshot())) as picture:
        picture.convert("RGB").quantize(128).save(path, optimize=True)


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--docs", type=Path, help="folder for the pictures of the documentation")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    storage = MemoryStorage()
    furnish(storage)
    report = html_of(prompts := Campaign.open(storage, "prompts"), prompts.verdicts())
    app = create_app(storage, Settings())
    with served(app) as address:
        app.state.boards.warm_up()
        for size in SIZES:
            for scheme in SCHEMES:
                for name, tab in shots(address, app.state.keyring.new_code(), report, scheme=scheme, size=size):
                    tab.screenshot(path=given.out / f"{name}-{size}-{scheme}.png", full_page=True)
                    if given.docs and size == "wide" and scheme == "light" and name in FOR_DOCS:
                        for_docs(tab, given.docs / f"{FOR_DOCS[name]}.png")
    print(f"The pictures are in {given.out}")


if __name__ == "__main__":
    main()
