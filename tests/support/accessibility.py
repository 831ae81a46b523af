"""What axe-core finds on a page."""

from __future__ import annotations

from typing import Any

# What it did not find is not listed node by node: that takes as long as the search.
FAULTS_ONLY = {"resultTypes": ["violations"]}


def violations(tab: Any) -> list[str]:
    """Return what axe-core has to complain of a page."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(tab, options=FAULTS_ONLY).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
