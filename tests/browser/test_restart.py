"""A server that is killed with a browser open: the page finds it again by itself, and nothing told is lost."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chromium import Visit
from thresher.campaign import Campaign

pytestmark = pytest.mark.xdist_group("browser")


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start(db: str, port: int) -> tuple[subprocess.Popen[str], str]:
    """Start a server; return it and the one-time code that it prints."""
    words = [sys.executable, "-m", "thresher", "serve", "--db", db, "--port", str(port), "--log-level", "warning"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"login\?code=(\S+)", line):
            return server, found[1]
    raise AssertionError(f"the server ended with {server.wait()}")


def end(server: subprocess.Popen[str]) -> None:
    """Kill a server as a power cut would."""
    server.send_signal(signal.SIGKILL)
    server.wait()
    assert server.stdout is not None
    server.stdout.close()


def measure(campaign: Campaign, n: int) -> None:
    """Ask and tell this many times."""
    for _ in range(n):
        ticket = campaign.ask()
        assert ticket is not None
        campaign.tell(ticket, 1)


@pytest.mark.nightly
def test_the_page_recovers_by_itself_when_the_server_comes_back(browser: Any, tmp_path: Path) -> None:
    db, port = f"sqlite:///{tmp_path / 'c.db'}", free_port()
    campaign = Campaign.create(db, "c", arms=["a", "b"], threshold=0.5, budget=100)
    server, code = start(db, port)
    visit = Visit(browser, f"http://127.0.0.1:{port}")
    try:
        visit.log_in(code)
        tab = visit.tab
        tab.goto("/campaigns/c")
        measure(campaign, 10)
        tab.wait_for_selector(".budget >> text=10 of 100 spent")
        tab.evaluate("window.isTheSamePage = true")
        end(server)
        tab.wait_for_selector("text=Connection lost, trying again")
        measure(campaign, 5)  # workers that need no service go on
        server, _ = start(db, port)
        tab.wait_for_selector(".budget >> text=15 of 100 spent")
        tab.wait_for_selector("[data-connection] >> text=Live")
        measure(campaign, 1)  # and what comes after that is heard of, too
        tab.wait_for_selector(".budget >> text=16 of 100 spent")
        assert tab.evaluate("window.isTheSamePage")
        assert not [fault for fault in visit.faults if "ERR_" not in fault]
    finally:
        end(server)
        visit.leave()
        campaign.disconnect()
