"""The files in deploy/: their steps, run by the real programs without a Docker engine."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.support.checkout import CHECKOUT
from tests.support.postgres_server import PostgresServer
from tests.support.service_process import wait_until

pytestmark = pytest.mark.xdist_group("postgres")

DEPLOY = CHECKOUT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def words_of(instruction: str) -> list[str]:
    """Return the words of an instruction in its JSON form."""
    [found] = re.findall(rf"^{instruction}.*?(\[.*\])$", DOCKERFILE, re.MULTILINE)
    words: list[str] = json.loads(found)
    return words


def test_the_image_is_built_from_files_and_extras_that_exist() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    assert all((CHECKOUT / name).exists() for line in copied for name in line.split())
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    [extras] = re.findall(r"pip install .*\[(.*)\]", DOCKERFILE)
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert project["readme"] in copied[0].split()
    assert set(project["license-files"]) <= set(copied[0].split())


def test_the_container_serves_and_is_ready_while_its_database_answers(tmp_path: Path) -> None:
    entry, command, check = words_of("ENTRYPOINT"), words_of("CMD"), words_of("HEALTHCHECK")
    assert entry == ["thresher"]
    server = PostgresServer()
    inherited = {**os.environ, "THRESHER_DB": server.address}
    words = [sys.executable, "-m", "thresher", *command, "--port", "0", "--json"]
    with subprocess.Popen(
        words, env=inherited, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["address"].rpartition(":")[2]

        def is_healthy() -> bool:
            script = check[2].replace("127.0.0.1:8000", f"127.0.0.1:{port}")
            return not subprocess.run([sys.executable, "-c", script], stderr=subprocess.DEVNULL).returncode

        try:
            wait_until(is_healthy, "the container is healthy", while_alive=process)
            server.halt()
            wait_until(lambda: not is_healthy(), "the container is not healthy", while_alive=process)
            server.start()  # the pool of connections finds it again on one of its next tries
            wait_until(is_healthy, "the container is healthy again", while_alive=process)
        finally:
            process.terminate()
            server.stop()
    assert process.returncode == 0


def test_the_services_of_the_compose_file_fit_together() -> None:
    thresher, database = SERVICES["thresher"], SERVICES["database"]
    names = database["environment"]
    address = thresher["environment"]["THRESHER_DB"]
    assert address == f"postgresql://{names['POSTGRES_USER']}:${{POSTGRES_PASSWORD}}@database/{names['POSTGRES_DB']}"
    assert thresher["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert (DEPLOY / thresher["build"]["context"] / thresher["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    [port] = thresher["ports"]
    assert port.startswith("127.0.0.1:")
    assert f"EXPOSE {port.rpartition(':')[2]}" in DOCKERFILE
    *served, option, url = thresher["command"]
    assert (served, option) == (words_of("CMD"), "--public-url")
    assert url == f"${{THRESHER_PUBLIC_URL:-http://{port.rpartition(':')[0]}}}"


def test_the_unit_is_that_of_the_page_and_little_exposed() -> None:
    unit = DEPLOY / "thresher.service"
    assert unit.read_text() in (CHECKOUT / "docs" / "howto" / "deploy.md").read_text()
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True)
    [level] = re.findall(r"exposure level for thresher.service: ([\d.]+)", done.stdout)
    assert float(level) <= 1.5
