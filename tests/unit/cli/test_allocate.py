"""``thresher allocate`` and the page *Next batch*: one split on all surfaces; and what a budget covers."""

import csv
import io
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.dashboard import create_app
from thresher.service import Settings

DB = "sqlite:///thresher.db"
Thresher = Callable[..., Any]


def labels(folder: Path, n_arms: int) -> None:
    """Write a file of two labels for each clip: yes and no for the first half, twice no for the others."""
    rows = [f"clip {k},{label}" for k in range(n_arms) for label in ("yes" if k < n_arms // 2 else "no", "no")]
    (folder / "labels.csv").write_text("\n".join(["arm,outcome", *rows]))


def test_a_label_manager_splits_the_next_batch_and_every_surface_agrees(thresher: Thresher, in_folder: Path) -> None:
    labels(in_folder, 6)
    words = ["--from", "labels.csv", "--create", "--bar", "50%", "--budget", "5"]
    assert thresher("tell", "clips", *words).code == 0
    batch = json.loads(thresher("allocate", "clips", "--budget", 50, "--json").out)
    assert (batch["measurements"], batch["cost"], batch["note"]) == (50, 50.0, "")
    counts = {row["arm"]: row["measurements"] for row in batch["arms"]}
    assert sum(counts.values()) == 50
    assert min(counts[f"clip {k}"] for k in range(3)) > max(counts[f"clip {k}"] for k in range(3, 6))
    rows = list(csv.DictReader(io.StringIO(thresher("allocate", "clips", "-b", 50, "--csv").out)))
    assert {row["arm"]: int(row["measurements"]) for row in rows} == counts
    few = list(csv.DictReader(io.StringIO(thresher("allocate", "clips", "-b", 2, "--csv").out)))
    assert 0 < len(few) <= 2  # arms without a measurement are left out
    assert all(int(row["measurements"]) > 0 for row in few)
    table = thresher("allocate", "clips", "-b", 50)
    assert table.out.splitlines()[0] == "clips: 50 measurements on 6 of 6 arms"
    assert all(len(line) <= 80 for line in table.out.splitlines())
    assert thresher("allocate", "clips").out.startswith("clips: 5 measurements on ")
    app = create_app(DB, Settings(hosts=("testserver",), pause=0.01))
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with TestClient(app, headers=headers, follow_redirects=False) as client:
        assert client.post("/login", data={"code": app.state.keyring.new_code()}).status_code == 303
        page = client.get("/campaigns/clips/allocation?budget=50").text
        shown = dict(re.findall(r"<bdi>(clip \d)</bdi></th><td class=\"n\">(\d+)</td>", page))
        assert {arm: int(count) for arm, count in shown.items()} == counts
        assert client.get("/campaigns/clips/allocation.csv?budget=50").text.splitlines()[1] == (
            f"clip 0,{counts['clip 0']},{batch['arms'][0]['share']:.6g},{counts['clip 0']}"
        )
        assert client.get("/api/v1/campaigns/clips/allocation?budget=50").json() == batch
        wrong = client.get("/campaigns/clips/allocation?budget=lots")
        assert (wrong.status_code, "must be a number" in unescape(wrong.text)) == (422, True)
    campaign = Campaign.open(DB, "clips")
    assert campaign.allocate(50).to_dict() == batch
    assert campaign.outstanding == 0
    campaign.disconnect()


def test_a_budget_covers_only_what_is_still_to_be_measured(thresher: Thresher, in_folder: Path) -> None:
    labels(in_folder, 200)
    words = ["--from", "labels.csv", "--create", "--bar", "50%"]
    assert thresher("tell", "clips", *words, "--budget", 100).code == 0
    campaign = Campaign.open(DB, "clips")
    assert (campaign.budget, campaign.standing.told, len(campaign.ask(1000))) == (100, 400, 100)
    with pytest.raises(
        ValueError, match="budget is 100; must be at least 101, the cost of the first pulls of 201 arms"
    ):
        campaign.add_arms(["unmeasured"], threshold=0.5)
    campaign.add_arms(["measured"], threshold=0.5, measured={"measured": 1})
    campaign.disconnect()
    # Of an arm without an outcome the first measurement is still to be made.
    with (in_folder / "labels.csv").open("a") as file:
        file.write("\nclip 200,yes\n")
    refused = thresher("new", "fresh", "-a", "a", "-a", "b", "--bar", "50%", "-b", 1)
    assert "--budget is 1; must be at least 2, the cost of the first pulls of 2 arms" in refused.err
    times = ["--from", "labels.csv", "--create", "--bar", "0.5", "--family", "gaussian-unknown-variance"]
    said = thresher("tell", "times", *times, "--success", "yes", "--budget", 100)
    assert "--budget is 100; must be at least 202, the cost of the first pulls of 201 arms" in said.err
    assert thresher("tell", "times", *times, "--success", "yes", "--budget", 202).code == 0
