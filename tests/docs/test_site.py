"""The site builds, makes no external requests, and misses no command, error or public name."""

import gc
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from mkdocs.plugins import BasePlugin
from mkdocs.structure.pages import Page

import thresher
from chromium import MISSING, browsing, path_of_chromium
from tests.support.accessibility import violations
from tests.support.checkout import CHECKOUT
from thresher import errors

pytestmark = pytest.mark.xdist_group("site")  # one worker builds it once

REFERENCE = CHECKOUT / "docs" / "reference"
API_PAGE = "\n".join(path.read_text() for path in (REFERENCE / "api.md", *sorted((REFERENCE / "api").glob("*.md"))))
NOT_FOR_PYTHON = {"cli", "martingales"}  # commands, and formulas behind the families


# What takes most of the time of a build, and what `--strict` has nothing to say of.
NOT_BY_DAY = {
    "separate_signature": False,  # each is formatted by a process
    "show_signature_annotations": False,
    "signature_crossrefs": False,
    "show_source": False,
}


class SearchOnlyGuides(BasePlugin):  # type: ignore[type-arg, no-untyped-call]
    """Leaves all pages but the guides out of the index of the search."""

    def on_page_markdown(self, markdown: str, *, page: Page, **_: Any) -> str:
        """Mark a page."""
        if not page.file.src_uri.startswith("howto/"):
            page.meta["search"] = {"exclude": True}
        return markdown


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, by night as `make docs` does, by day every page, link and name with less around them."""
    target = tmp_path_factory.mktemp("site")
    (build_all if "nightly" in request.config.option.markexpr else build_soon)(target)
    return target


def build_all(target: Path) -> None:
    """Build the site as `make docs` does."""
    # Not with --quiet: that hides warnings from --strict too.
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=CHECKOUT, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def build_soon(target: Path, **changes: Any) -> None:
    """Build the site in this process, as strictly, at a third of the cost; raise Abort for a warning."""
    config = load_config(str(CHECKOUT / "mkdocs.yml"), strict=True, site_dir=str(target), **changes)
    config.plugins["mkdocstrings"].config.handlers["python"]["options"].update(NOT_BY_DAY)
    config.plugins["search-only-guides"] = SearchOnlyGuides()
    gc.disable()  # a tenth of the time
    try:
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    finally:
        gc.enable()
        config.plugins.on_shutdown()


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    docs = tmp_path / "docs"
    (docs / "howto").mkdir(parents=True)
    lines = ["# One", "[no page](two.md)", "[no heading](../index.md#three)", "[no name][thresher.nothing]"]
    (docs / "howto" / "one.md").write_text("\n\n".join(lines))
    (docs / "index.md").write_text("# Home\n")
    nav = ["index.md", {"One": "howto/one.md"}, {"Missing": "howto/four.md"}]
    with pytest.raises(Abort):
        build_soon(tmp_path / "site", docs_dir=str(docs), nav=nav, hooks=[])
    warnings = "\n".join(record.getMessage() for record in caplog.records if record.levelname == "WARNING")
    for wrong in ("two.md", "#three", "thresher.nothing", "howto/four.md"):
        assert wrong in warnings


def in_nav(entries: Any) -> Iterator[str]:
    """Yield the pages of a nav, however deep."""
    if isinstance(entries, str):
        yield entries
    else:
        for entry in entries.values() if isinstance(entries, dict) else entries:
            yield from in_nav(entry)


def test_the_nav_and_the_pages_are_the_same() -> None:
    docs = CHECKOUT / "docs"
    listed = list(in_nav(load_config(str(CHECKOUT / "mkdocs.yml")).nav))
    assert sorted(listed) == sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


class Requests(HTMLParser):
    """Collects what a browser would fetch to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name in {"src", "srcset", "poster", "data"} or (tag == "link" and name == "href")):
                self.wanted.append(value)
            if value and name == "style":
                self.wanted += in_css(value)


def in_css(text: str) -> list[str]:
    """Return what a style sheet would fetch."""
    return re.findall(r"(?:url\(|@import\s+)['\"]?([^'\")]+)", text)


def is_elsewhere(address: str) -> bool:
    """Return whether an address leaves the site."""
    return bool(re.match(r"(?:[a-z]+:)?//", address))


def test_a_request_elsewhere_would_be_seen() -> None:
    parser = Requests()
    parser.feed('<script src="https://cdn.example/x.js"></script>')
    parser.feed('<link href="//f.example/f.css"><p style="background: url(a.png)">')
    assert [is_elsewhere(address) for address in parser.wanted] == [True, True, False]
    assert in_css('@import "https://f.example/f.css";') == ["https://f.example/f.css"]


def test_no_page_asks_anybody_for_anything(site: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text, parser = path.read_text(), Requests()
        parser.feed(text if path.suffix == ".html" else "")
        fetched = parser.wanted + (in_css(text) if path.suffix == ".css" else [])
        assert [address for address in fetched if is_elsewhere(address)] == [], path.name
        # For these the theme's own script would fetch: diagrams from a CDN, stars from a code host.
        assert 'class="mermaid"' not in text
        assert 'data-md-component="source"' not in text


def test_every_formula_is_drawn(site: Path) -> None:
    pages = {path.stem: path.read_text() for path in site.rglob("*.html")}
    assert "<math" in pages["problem"]
    raw = re.compile(r"arithmatex|:math:|:cite:|\.\. math::")
    text = {name: re.sub(r"<code.*?</code>", "", page, flags=re.DOTALL) for name, page in pages.items()}
    assert [name for name, page in text.items() if raw.search(page)] == []


def test_no_command_of_latex_is_left_in_a_formula(site: Path) -> None:
    left = {}
    for path in site.rglob("*.html"):
        formulas = " ".join(re.findall(r"<math.*?</math>", path.read_text(), re.DOTALL))
        left[path.name] = re.findall(r"\\\S*", re.sub(r"<[^>]+>", " ", formulas))
    assert {name: commands for name, commands in left.items() if commands} == {}


def test_every_error_is_documented(site: Path) -> None:
    page = (site / "reference" / "errors.html").read_text()
    assert [name for name in errors.__all__ if f'id="thresher.errors.{name}"' not in page] == []


def test_every_command_is_documented(site: Path) -> None:
    from typer.main import get_group

    from thresher.cli.main import app

    page = (site / "reference" / "cli.html").read_text()
    commands = get_group(app).commands
    assert "simulate" in commands
    assert [name for name in commands if f'id="thresher-{name}"' not in page] == []


def test_every_package_is_in_the_api_reference() -> None:
    packages = {module.name for module in pkgutil.iter_modules(thresher.__path__) if module.ispkg}
    listed = set(re.findall(r"^::: thresher\.(\w+)$", API_PAGE, re.MULTILINE))
    assert listed == packages - NOT_FOR_PYTHON


@pytest.fixture(scope="module")
def anchors(site: Path) -> set[str]:
    """Return the anchors of the reference."""
    pages = (site / "reference").rglob("*.html")
    return {anchor for path in pages for anchor in re.findall(r' id="([^"]+)"', path.read_text())}


@pytest.mark.parametrize("package", re.findall(r"^::: (thresher(?:\.\w+)?)$", API_PAGE, re.MULTILINE))
def test_every_public_name_is_documented(anchors: set[str], package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            places = {f"{package}.{name}", f"{value.__module__}.{value.__qualname__}"}
            assert inspect.getdoc(value), f"{package}.{name} has no docstring"
            assert places & anchors, f"{package}.{name} is not in the reference"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if path_of_chromium() is None:
        pytest.skip(MISSING)
    with browsing() as browser:
        yield browser


PAGES = ("index", "explanation/shared-items", "explanation/stopping-index", "reference/http")


@pytest.mark.nightly("the others, dark and narrow", "light and wide")  # by day all kinds of elements, and every width
@pytest.mark.parametrize(
    ("scheme", "width", "examined"),
    [("dark", 390, PAGES[:2]), ("dark", 390, PAGES[2:]), ("light", 1280, PAGES)],
    ids=["dark and narrow", "the others, dark and narrow", "light and wide"],
)
def test_pages_are_accessible_and_fit(
    site: Path, browser: Any, scheme: str, width: int, examined: tuple[str, ...]
) -> None:
    tab = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    for name in PAGES:
        tab.goto((site / f"{name}.html").as_uri())
        assert name not in examined or violations(tab) == [], name
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, name
    tab.close()


def test_the_search_works_from_the_file_system(site: Path, browser: Any) -> None:
    tab = browser.new_page()
    tab.goto((site / "index.html").as_uri())
    tab.keyboard.press("/")
    tab.keyboard.type("flaky tests")
    tab.locator(".md-search-result__item a").first.wait_for()
    assert "find-flaky-tests.html" in (tab.locator(".md-search-result__item a").first.get_attribute("href") or "")
    tab.close()
