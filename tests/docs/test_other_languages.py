"""The workers of the page about other languages, run by the real programs against a real service."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.main import get_group

from tests.docs.test_examples import write_files
from tests.support.checkout import CHECKOUT
from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.cli.main import app as commands
from thresher.service import Settings, create_app

PAGE = "docs/howto/other-languages.md"
MEASURE = """#!/bin/sh
[ -e failed-once ] || { : > failed-once; exit 1; }
[ "$1" = terse ] && echo 1 || echo 0
"""


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {missing}")


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["sh", "worker.sh"], marks=needs("curl", "jq")),
        pytest.param(["Rscript", "worker.R"], marks=[needs("Rscript"), pytest.mark.nightly]),
    ],
    ids=["sh", "R"],
)
def test_a_worker_of_the_page_measures_until_nothing_is_left(words: list[str], tmp_path: Path) -> None:
    write_files(PAGE, tmp_path)
    (tmp_path / "measure").write_text(MEASURE)
    (tmp_path / "measure").chmod(0o755)
    app = create_app(MemoryStorage(), Settings(pause=0.05, token_rate=20))  # it is told to wait, too
    storage = app.state.registry.storage
    campaign = Campaign.create(storage, "prompts", arms=["terse", "polite", "stern"], threshold=0.8, budget=12)
    token = app.state.keyring.new_token("work", campaign="prompts")
    with served(app) as address:
        environment = os.environ | {"URL": address, "THRESHER_TOKEN": token, "no_proxy": "*"}
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (campaign.spent, campaign.outstanding, campaign.standing.late) == (12, 0, 0)
    kinds = [entry.kind for entry in campaign.history()]
    assert kinds.count("told") == 12
    assert kinds.count("failed") == (words[0] == "sh")
    campaign.verify()


def test_the_options_of_the_cluster_page_exist(tmp_path: Path) -> None:
    write_files("docs/howto/cluster.md", tmp_path)
    job = yaml.safe_load((tmp_path / "workers.yaml").read_text())
    [container] = job["spec"]["template"]["spec"]["containers"]
    program, command, *_ = container["command"]
    lines = [*container["args"], *(tmp_path / "worker.sbatch").read_text().split("thresher work")[1].split()]
    known = {option for parameter in get_group(commands).commands[command].params for option in parameter.opts}
    assert program == "thresher"
    assert {word for word in lines if word.startswith("--")} <= known
    assert "completions" not in job["spec"]
    assert (CHECKOUT / "deploy" / "Dockerfile").exists()
