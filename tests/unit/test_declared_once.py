"""A column of the table of arms, a format of logs and a verb are declared once, and every surface follows."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.checkout import CHECKOUT
from thresher.campaign import VERBS, LocalBackend

COLUMN = """
from thresher.report.columns import COLUMNS, Column

COLUMNS.append(
    Column(
        key="gap",
        heading=lambda _: "offset",
        cell=lambda row, _: f"{row.mean - row.threshold:+.4f}",
        help="How far the mean is from the bar.",
        phrase=lambda row, _: f"gap {row.mean - row.threshold:+.4f}",
        value=lambda row: row.mean - row.threshold,
    )
)
"""
FORMAT = """
from thresher.run.importers.log import Log, Record

def recognises(document):
    return isinstance(document, dict) and document.get("tool") == "toaster"

def read(path, document):
    records = [Record(f"{path.name} slice {i}", f"toaster {i}", {"arm": arm, "outcome": outcome})
               for i, (arm, outcome) in enumerate(document["slices"])]
    return Log(path.name, records)
"""
PLAYED = """
import json
from pathlib import Path
import mine.gap
from thresher import registries
formats = {"toaster": registries.LogFormat("mine.toaster", "Toaster 3000"), **registries.LOG_FORMATS}
registries.LOG_FORMATS.clear()
registries.LOG_FORMATS.update(formats)

from starlette.testclient import TestClient
from thresher.cli.main import main
from thresher.dashboard import create_app
from thresher.campaign import Campaign
from thresher.service import Settings

def run(*words):
    try:
        main(list(words))
    except SystemExit:
        pass

def section(name):
    print(f"=== {name}", flush=True)

slices = [["bread", i % 8 != 0] for i in range(40)] + [["bagel", i % 8 == 0] for i in range(40)]
Path("log.json").write_text(json.dumps({"tool": "toaster", "slices": slices}))
section("import")
run("tell", "toast", "--from", "log.json", "--create", "--bar", "0.5", "--budget", "100")
section("help")
run("tell", "--help")
section("terminal")
run("verdicts", "toast")
section("json")
run("verdicts", "toast", "--json")
for ending in ("md", "csv", "html", "xml"):
    run("report", "toast", "--out", f"r.{ending}")
    section(ending)
    print(Path(f"r.{ending}").read_text())
campaign = Campaign.open("sqlite:///thresher.db", "toast")
section("notebook")
print(campaign.verdicts()._repr_html_())
section("frame")
print(campaign.verdicts().to_dicts())
campaign.disconnect()
app = create_app("sqlite:///thresher.db", Settings(hosts=("testserver",)))
with TestClient(app, headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}) as client:
    client.post("/login", data={"code": app.state.keyring.new_code()})
    section("dashboard")
    print(client.get("/campaigns/toast").text)
    section("http")
    print(client.get("/api/v1/campaigns/toast/verdicts", headers={"Accept": "application/json"}).text)
    section("export")
    print(client.get("/api/v1/campaigns/toast/export/verdicts.csv").text)
    section("import-page")
    print(client.get("/import").text)
"""
VERB = """
from thresher.campaign import Command, LocalBackend, Verbs
from thresher.campaign.ledger import decisions
from thresher.campaign.storage import RowsToRead
from thresher.campaign.verbs import verb

@verb(
    answer="standing",
    command=Command("Snooze for a while.", "snooze toast bread", words="Arm to blame.", line="{arm}: zzz"),
)
def snooze(self, arm: str, *, reason: str = "") -> None:
    \"\"\"Let the campaign sleep because of an arm.\"\"\"

def pause_for(self, arm, reason):
    print("local", arm, reason)
    self.stored.transact(RowsToRead(), lambda state: decisions.pause(self.name, state.ledger))

Verbs.snooze, LocalBackend.snooze = snooze, pause_for
"""
PERFORMED = """
import asyncio, json
import mine.snooze
from tests.support.service_place import served
from thresher import AsyncCampaign, Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.cli.main import main
from thresher.service import create_app
from thresher.service.openapi import openapi_document

def run(*words):
    try:
        main(list(words))
    except SystemExit:
        pass

def section(name):
    print(f"=== {name}", flush=True)

address = "sqlite:///thresher.db"
campaign = Campaign.create(address, "toast", arms=["bread", "bagel"], threshold=0.5, budget=9)
section("python")
campaign.snooze("bread", reason="crumbs")
print(campaign.standing.status, Campaign.snooze.__doc__)
campaign.resume()
section("async")
print(asyncio.run(AsyncCampaign(campaign).snooze("bread")), campaign.standing.status)
campaign.resume()
section("command")
run("snooze", "toast", "bagel", "--reason", "burnt")
run("snooze", "--help")
section("openapi")
print(json.dumps(openapi_document(create_app(MemoryStorage()))))
section("http")
app = create_app(address)
token = app.state.keyring.new_token("admin")
with served(app) as place:
    remote = Campaign.open(place, "toast", token=token)
    remote.resume()
    remote.snooze("bagel", reason="over HTTP")
    print(remote.standing.status)
"""
SHOWN = ("terminal", "md", "html", "notebook", "dashboard")  # with the heading and the cell
DATA = ("json", "csv", "frame", "http", "export")  # with the key and the value


def test_a_column_and_a_log_format_are_declared_once(tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    for name, text in (("__init__", ""), ("gap", COLUMN), ("toaster", FORMAT)):
        (package / f"{name}.py").write_text(text)
    (tmp_path / "played.py").write_text(PLAYED)
    done = subprocess.run(
        [sys.executable, "played.py"], cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = {part.partition("\n")[0]: part for part in done.stdout.split("=== ")[1:]}
    for surface in SHOWN:
        assert "offset" in said[surface].lower(), surface
        assert "+0.3750" in said[surface], surface
    for surface in DATA:
        assert "gap" in said[surface], surface
        assert "-0.375" in said[surface], surface
    assert "gap -0.3750" in said["xml"]
    assert "How far the mean is from the bar." in said["dashboard"]
    assert "80 outcomes of 2 arms" in said["import"], "the file is recognised"
    assert "Toaster 3000" in said["help"]
    assert "Toaster 3000" in said["import-page"]
    assert '<option value="toaster"' in said["import-page"]


def test_a_verb_is_declared_once(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "snooze.py").write_text(VERB)
    (tmp_path / "performed.py").write_text(PERFORMED)
    done = subprocess.run(
        [sys.executable, "performed.py"], cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = {part.partition("\n")[0]: part for part in done.stdout.split("=== ")[1:]}
    assert "local bread crumbs\npaused Let the campaign sleep because of an arm." in said["python"]
    assert "local bread \nNone paused" in said["async"]
    assert "local bagel burnt\nbagel: zzz" in said["command"]
    for shown in ("Snooze for a while.", "Example: thresher snooze toast bread", "[CAMPAIGN] ARM", "--reason"):
        assert shown in said["command"], shown
    document = json.loads(said["openapi"].partition("\n")[2])
    operation = document["paths"]["/api/v1/campaigns/{campaign}/snooze"]["post"]
    assert operation["description"] == "Let the campaign sleep because of an arm."
    body = document["components"]["schemas"]["SnoozeRequest"]
    assert (list(body["properties"]), body["required"]) == (["arm", "reason"], ["arm"])
    assert "local bagel over HTTP\npaused" in said["http"]


def test_every_verb_has_a_local_transaction_with_its_arguments() -> None:
    for verb in VERBS.values():
        assert [*inspect.signature(getattr(LocalBackend, verb.name)).parameters] == ["self", *verb.arguments], verb.name


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(CHECKOUT), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"COLUMNS": "200", "NO_COLOR": "1", "PYTHONPATH": path}
