"""What users install: the wheel alone, without extras, in an environment of its own."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command away from the checkout and return what it prints."""
    away = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=away, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.nightly  # it installs all that thresher needs once more
def test_the_wheel_without_extras_imports_and_simulates(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, CHECKOUT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("thresher_bandits-*.whl")
    shipped = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in shipped} == {"thresher", "thresher_bandits"}
    assert [name for name in shipped if name.endswith((".c", ".so"))] == []
    run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=tmp_path)

    place = run(python, "-c", "import thresher; print(thresher.__file__)", cwd=tmp_path)
    assert Path(place.strip()).is_relative_to(tmp_path / "env")
    assert "matplotlib" not in run(python, "-m", "pip", "list", cwd=tmp_path)
    options = ["--policy", "lsa", "--budget", "60", "--runs", "20", "--seed", "1", "--json"]
    printed = run(tmp_path / "env" / "bin" / "thresher", "simulate", "linear", *options, cwd=tmp_path)
    (row,) = json.loads(printed)["results"]
    assert row["policy"] == "lsa"
    # 50 arms, hardly more than one pull each: far from perfect, better than guessing every arm.
    assert 0 < row["mean"] < 25
