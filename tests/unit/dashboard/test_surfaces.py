"""One campaign, told the same way on every surface."""

import html
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.cli.main import main
from thresher.dashboard import create_app
from thresher.service import Settings

PASSED = {"good": 40, "fair": 26, "near": 24, "bad": 8, "worst": 2}  # of 40 outcomes


def plain(text: str) -> str:
    """Return a text on one line, with ordinary spaces."""
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", text)).replace("\u00a0", " ").split())


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Give the command line in a folder with one campaign."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    campaign = Campaign.create("sqlite:///thresher.db", "coins", arms=list(PASSED), threshold=0.6, budget=220)
    for arm, passed in PASSED.items():
        campaign.tell_counts(arm, n=40, total=float(passed))
    campaign.disconnect()

    def run(*words: str) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main(list(words))
        return capsys.readouterr().out

    return run


def test_every_surface_states_the_same_counts_and_the_same_sentences(say: Callable[..., str]) -> None:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    found = campaign.verdicts()
    summary, counts = plain(found.summary), {key: found.counts[key] for key in ("pass", "fail", "open")}
    tally = f"{counts['pass']} pass, {counts['fail']} fail, {counts['open']} undecided"
    assert summary.startswith(tally)
    assert min(counts.values()) > 0
    for name in ("r.html", "r.md", "r.xml", "r.csv"):
        say("report", "coins", "--out", name)
    suite = ET.parse("r.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("skipped")) == (str(counts["fail"]), str(counts["open"]))
    rows = Path("r.csv").read_text().splitlines()[1:]
    assert {word: sum(f",{word}," in row for row in rows) for word in counts} == counts
    [property_of_suite] = suite.findall("properties/property[@name='summary']")
    documents = [json.loads(say("verdicts", "--json")), json.loads(say("report", "--out", "r.md", "--force", "--json"))]
    shown = {
        "terminal": say("verdicts", "coins"),
        "report": Path("r.html").read_text(),
        "Markdown": Path("r.md").read_text().replace("\\", ""),
        "JUnit": property_of_suite.get("value") or "",
        "notebook": found._repr_html_(),
        "JSON": documents[0]["summary"],
        "JSON of the report": documents[1]["summary"],
    } | pages()
    for surface, text in shown.items():
        assert summary in plain(text), surface
    listed = dict(zip(*(line.split() for line in say("list").splitlines()), strict=True))
    assert [listed[word] for word in ("pass", "fail", "undecided")] == [str(count) for count in counts.values()]
    assert json.loads(say("list", "--json"))["campaigns"][0]["counts"] == found.counts == documents[0]["counts"]
    campaign.disconnect()


def pages() -> dict[str, str]:
    """Return what the service and the dashboard say of the campaign."""
    storage = SqliteStorage(Path("thresher.db"))
    app = create_app(storage, Settings(hosts=("testserver",), pause=0.01))
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with TestClient(app, headers=headers) as client:
        client.post("/login", data={"code": app.state.keyring.new_code()})
        page = client.get("/campaigns/coins").text
        answer = client.get("/api/v1/campaigns/coins/verdicts", headers={"Accept": "application/json"}).json()
    storage.close()
    return {"dashboard": page, "HTTP": answer["summary"]}
