"""One grid of simulations for all tests of figures and claims."""

import pytest

from thresher.research.papers import Grid


@pytest.fixture(scope="session")
def grid() -> Grid:
    """Return simulations of 300 runs, fewer than the paper's 500: a claim that holds by chance should fail here."""
    return Grid(runs=300, seed=0)
