"""A database with a campaign with a custom index, in processes that have not imported it."""

from pathlib import Path

import pytest

from tests.support.own_index import MODULE, OWN, own_index
from tests.support.service_process import ServiceProcess, keyring_of, typed
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

NOTE = f"policy not available here (import it with --plugin): '{OWN}'"


@pytest.fixture
def token(tmp_path: Path) -> str:
    """A token for everything in a database with a campaign of an index of one's own and a usual one."""
    (tmp_path / "my_plugin.py").write_text(MODULE)
    storage = open_storage(f"sqlite:///{tmp_path}/c.db", create=True)
    with own_index():
        Campaign.create(storage, "own", arms=["a"], threshold=0.5, budget=3, policy=OWN)
    Campaign.create(storage, "usual", arms=["a"], threshold=0.5, budget=3)
    made = keyring_of(storage).new_token("admin")
    storage.close()
    return made


@pytest.mark.nightly
def test_a_server_serves_all_campaigns_and_judges_those_whose_policy_it_has(tmp_path: Path, token: str) -> None:
    with ServiceProcess(f"sqlite:///{tmp_path}/c.db", tmp_path) as server, server.client(token) as client:
        rows = client.get("/campaigns").json()["campaigns"]
        assert [(row["name"], row["note"]) for row in rows] == [("own", NOTE), ("usual", "")]
        assert client.get("/campaigns/own/verdicts").status_code == 409
        assert client.get("/campaigns/usual/verdicts").status_code == 200
        server.ask_to_stop()
        assert server.wait() == 0
    assert "Traceback" not in server.log()


def test_a_server_with_the_plugin_measures_and_judges(
    tmp_path: Path, token: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ServiceProcess(f"sqlite:///{tmp_path}/c.db", tmp_path, "--plugin", "my_plugin") as server:
        monkeypatch.setenv("THRESHER_TOKEN", token)  # of the worker, which needs no plugin
        code, _, said = typed(capsys, "work", server.address, "own", "--command", "true")
        assert (code, said) == (0, "3 outcomes told, 0 pulls returned.\n")
        with server.client(token) as client:
            assert client.get("/campaigns/own/verdicts").json()["verdicts"][0]["pulls"] == 3
