"""Debian's chromium, for the browser tests and the screenshots: found, installed where that can be done, started.

Run by ``make setup``. Where there is none and it cannot be installed, the browser tests are skipped and say so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request

NAMES = ("chromium", "chromium-browser")
PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-liberation")
# The last four keep it from calling home: what the tests see is what our pages do.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 240_000  # milliseconds: a machine whose disk is busy has kept a page waiting for two minutes
MISSING = "Chromium is not installed; `make setup` installs it when it is run by root on Debian"
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
BREACHES = "addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective));"


def path_of_chromium() -> str | None:
    """Return where chromium is, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start chromium; give Playwright's browser."""
    from playwright.sync_api import sync_playwright

    path = path_of_chromium()
    assert path is not None, MISSING
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """A tab that records what a page must not do.

    Parameters
    ----------
    browser : Browser
    address : str
        Where our pages are: ``http://127.0.0.1:8000``. A request that goes elsewhere is a fault.
    **options
        Of Playwright's ``new_context``.

    Attributes
    ----------
    faults : list of str
        Dialogs, errors of scripts, breaches of the content security policy, requests to elsewhere. A refusal (4xx) that
        the browser repeats on its console is none.
    """

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.address, self.faults = address, list[str]()
        self._context = browser.new_context(base_url=address, **options)
        self._context.set_default_timeout(PATIENCE)
        self._context.add_init_script(BREACHES)
        self.tab: Page = self._context.new_page()
        self.tab.on("dialog", self._dialog)
        self.tab.on("console", self._said)
        self.tab.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.tab.on("request", self._asked)

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not REFUSED.match(message.text):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.address + "/", "blob:")):
            self.faults.append(f"request: {request.url}")

    def log_in(self, code: str) -> None:
        """Log in with a one-time code, as people do."""
        self.tab.goto("/")
        self.tab.fill("#code", code)
        self.tab.click("main button")
        self.tab.wait_for_selector("text=Log out")

    def leave(self) -> None:
        """Close the tab."""
        self._context.close()


def install() -> str:
    """Install chromium unless it is there; return what is to be said of that, if anything."""
    if path_of_chromium():
        return ""
    apt = shutil.which("apt-get")
    if os.geteuid() != 0 or apt is None:
        return f"The browser tests will be skipped: {MISSING}."
    print("Installing chromium for the browser tests")
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run([apt, "-qq", *words], env=quiet, capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            return f"The browser tests will be skipped: apt-get could not {words[0]}: {last[0]}"
    return ""


if __name__ == "__main__":
    if sentence := install():
        print(sentence)
