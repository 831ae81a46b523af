"""The Makefile says what it can do."""

import re
import subprocess
from pathlib import Path

from tests.support.checkout import CHECKOUT

MAKEFILE = (CHECKOUT / "Makefile").read_text()


def phony() -> set[str]:
    """Return the targets that people call."""
    return set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())  # type: ignore[index]


def test_make_alone_lists_every_target_with_one_line() -> None:
    printed = subprocess.run(["make"], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
    listed = dict(re.findall(r"^  ([a-z-]+) +(\S.*)$", printed, re.MULTILINE))
    assert set(listed) == phony()


def test_every_target_of_the_docs_exists() -> None:
    pages = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *(CHECKOUT / "docs").rglob("*.md")]
    named = {
        target for page in pages for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert {"run", "test", "setup"} <= named
    assert named <= phony()


def test_ci_is_make_test() -> None:
    script = Path(CHECKOUT / ".ci" / "run")
    assert script.stat().st_mode & 0o111
    assert "set -euo pipefail" in script.read_text()
    assert script.read_text().rstrip().endswith("make test")
