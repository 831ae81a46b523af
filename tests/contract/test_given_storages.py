"""A storage that a caller passes in is never closed: not after an error, not at the end."""

import ast
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from starlette.testclient import TestClient

import thresher
from tests.support.places import PostgresPlace, SqlitePlace, StoragePlace
from thresher.campaign import Campaign, backends
from thresher.campaign.arms import first_rows
from thresher.campaign.local import LocalBackend
from thresher.campaign.storage import Storage
from thresher.campaign.stored_campaign import StoredCampaign
from thresher.dashboard import create_app as create_dashboard
from thresher.errors import ThresherError
from thresher.inspect_ai import Bar
from thresher.inspect_ai.cost_ledger import CostLedger
from thresher.inspect_ai.task_campaign import TaskCampaign
from thresher.service import Settings, create_app
from thresher.service.campaign_registry import CampaignRegistry, ServedCampaign

Entry = Callable[[Storage], object]
COINS: dict[str, Any] = {"arms": ["a", "b"], "threshold": 0.5, "budget": 9}
LOG = b"arm,outcome\na,1\nb,0\n"
SETTINGS = Settings(hosts=("testserver",))


def serve(storage: Storage) -> None:
    with TestClient(create_app(storage, SETTINGS)) as client:
        assert client.get("/api/v1/ready").status_code == 200


def browse(storage: Storage) -> None:
    """Preview and import a log, into campaigns that exist, do not exist, and may be created."""
    app = create_dashboard(storage, SETTINGS)
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with TestClient(app, headers=headers, follow_redirects=False) as client:
        client.post("/login", data={"code": app.state.keyring.new_code()})
        new = {"create": "on", "threshold": "0.5", "budget": "20"}
        for given in ({"campaign": "missing"}, {"campaign": "c"}, {"campaign": "new", **new}, {"campaign": ""}):
            for action in ("preview", "import"):
                sent = client.post("/import", data={**given, "action": action}, files={"file": ("log.csv", LOG)})
                assert sent.status_code in (200, 303, 422), sent.text
        assert client.get("/campaigns/c").status_code == 200


def stored(storage: Storage) -> LocalBackend:
    return LocalBackend(storage, storage.find("c"))


def create_again(storage: Storage) -> None:
    terms = stored(storage).terms
    backends.create(storage, "c", terms, first_rows(terms, ["a"], thresholds=0.5), budget=9)


# Every function and class outside the storages themselves with a parameter that may be a storage.
ENTRIES: dict[str, tuple[Entry, ...]] = {
    "campaign.campaign.create": (
        lambda storage: Campaign.create(storage, "other", **COINS).disconnect(),
        lambda storage: Campaign.create(storage, "c", **COINS),
        lambda storage: Campaign.create(storage, "d", **(COINS | {"budget": -1})),
    ),
    "campaign.campaign.open": (
        lambda storage: Campaign.open(storage, "c").disconnect(),
        lambda storage: Campaign.open(storage, "missing"),
        lambda storage: Campaign.open(storage, ""),
    ),
    "campaign.campaign.list": (Campaign.list,),
    "campaign.backends.connect": (lambda storage: backends.connect(storage, "missing"),),
    "campaign.backends.create": (create_again,),
    "campaign.backends.standings": (backends.standings,),
    "campaign.local.LocalBackend": (lambda storage: stored(storage).disconnect(),),
    "campaign.stored_campaign.StoredCampaign": (lambda storage: StoredCampaign(storage, storage.find("c")).has_items,),
    "service.app.create_app": (serve,),
    "service.campaign_registry.CampaignRegistry": (
        lambda storage: CampaignRegistry(storage).open("missing"),
        lambda storage: CampaignRegistry(storage).open("c"),
    ),
    "service.campaign_registry.ServedCampaign": (lambda storage: ServedCampaign(storage, storage.find("c")).glimpse(),),
    "dashboard.app.create_app": (browse,),
    "run.importers.log_import.LogImport": (browse,),
    "inspect_ai.bar.Bar": (lambda storage: Bar(0.5, budget=3, db=storage),),
    "inspect_ai.cost_ledger.CostLedger": (
        lambda storage: CostLedger(storage, "costs", cost="tokens", budget=1000.0),
        lambda storage: CostLedger(storage, "costs", cost="tokens", budget=-1.0),
    ),
    "inspect_ai.task_campaign.TaskCampaign": (
        lambda storage: TaskCampaign(storage, "t", threshold=0.5, samples=["1"], epochs=1, arm="a", terms={}),
        lambda storage: TaskCampaign(storage, "c", threshold=0.5, samples=["1"], epochs=1, arm="a", terms={}).join(
            "a", ["2"], 1
        ),
    ),
}


def takers() -> set[str]:
    """Return the public functions and classes with a parameter that may be a storage, as the sources declare it."""
    root, found = Path(thresher.__file__).parent, set[str]()
    for path in root.rglob("*.py"):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        if module.startswith("campaign.storage."):
            continue
        text = path.read_text()
        for scope in ast.walk(ast.parse(text)) if "Storage" in text else ():
            for function in ast.iter_child_nodes(scope):
                if not isinstance(function, ast.FunctionDef):
                    continue
                given = [*function.args.args, *function.args.kwonlyargs]
                if not any(one.annotation and "Storage" in ast.unparse(one.annotation).split() for one in given):
                    continue
                name = scope.name if function.name == "__init__" and isinstance(scope, ast.ClassDef) else function.name
                found |= set() if name.startswith("_") else {f"{module}.{name}"}
    return found


def test_whatever_takes_a_storage_is_tried() -> None:
    assert takers() == ENTRIES.keys()


@pytest.mark.parametrize("kind", ["sqlite_place", "postgres_place"])
def test_a_storage_that_was_passed_in_stays_open(kind: str, request: pytest.FixtureRequest) -> None:
    place: StoragePlace = request.getfixturevalue(kind)
    assert isinstance(place, (SqlitePlace, PostgresPlace))
    storage = place.storage()
    Campaign.create(storage, "c", **COINS)
    with patch.object(storage, "close", side_effect=AssertionError("the storage was closed")):
        for name, entries in ENTRIES.items():
            for n, enter in enumerate(entries):
                with suppress(ThresherError):
                    enter(storage)
                assert storage.headings()[0].name == "c", (name, n)
    assert Campaign.open(storage, "c").ask() is not None
