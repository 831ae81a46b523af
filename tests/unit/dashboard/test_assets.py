"""Static files: what was taken from elsewhere is what it was when it was taken, and all can be had and nothing else."""

import hashlib
import json
from importlib import resources

import pytest
from starlette.testclient import TestClient

from thresher.dashboard.assets import FILES, FOR_EVER, asset_url, assets

VENDOR = resources.files("thresher.dashboard").joinpath("static/vendor")
RECORD = json.loads(VENDOR.joinpath("uPlot.json").read_text())


def test_the_vendored_files_are_those_that_were_recorded() -> None:
    there = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in VENDOR.iterdir()}
    del there["uPlot.json"]
    assert there == RECORD["sha256"]


def test_the_record_names_the_version_and_the_licence() -> None:
    script = VENDOR.joinpath("uPlot.iife.min.js").read_text()
    assert f"(v{RECORD['version']})" in script.splitlines()[0]
    assert RECORD["licence"] == "MIT"
    assert "MIT License" in VENDOR.joinpath("uPlot.LICENSE").read_text()


@pytest.mark.parametrize("name", FILES)
def test_a_file_can_be_had_by_everybody_and_kept_for_ever(stranger: TestClient, name: str) -> None:
    answer = stranger.get(asset_url(name))
    assert answer.status_code == 200
    assert answer.content == assets()[name].content
    assert answer.headers["cache-control"] == FOR_EVER
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"].startswith(FILES[name][2])


@pytest.mark.parametrize(
    "path",
    [
        "/static/0000000000000000/style.css",
        asset_url("style.css").replace("style.css", "live.js"),
        asset_url("style.css").replace("style.css", "..%2fapp.py"),
        asset_url("style.css") + "/",
        "/static/",
    ],
)
def test_nothing_else_can_be_had(stranger: TestClient, path: str) -> None:
    assert stranger.get(path).status_code == 404


@pytest.mark.parametrize("name", ["live.js", "charts.js"])
def test_scripts_write_no_markup_and_make_no_external_requests(name: str) -> None:
    text = assets()[name].content.decode()
    for word in ("innerHTML", "insertAdjacentHTML", "document.write", "eval(", "http:", "https:"):
        assert word not in text
