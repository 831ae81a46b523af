"""What every test relies on: code compiled from these sources, a Hypothesis profile, no nightly tests by day."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from numba_cache import cache_directory

# Before anything imports Numba. Each xdist worker has a directory of its own: Numba numbers the files of a function's
# signatures without a lock, so that two processes that compile two signatures at once can swap their code.
os.environ["NUMBA_CACHE_DIR"] = str(cache_directory() / os.environ.get("PYTEST_XDIST_WORKER", ""))

# No deadline: the first call of a compiled function takes seconds. Under CI the examples are the same in every run.
settings.register_profile("thresher", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("thresher")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests marked `nightly`, unless `-m` speaks of them."""
    if "nightly" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason="slow: run by `make nightly`"))


@pytest.fixture(autouse=True)
def _forget_new_indices() -> Iterator[None]:
    """Take indices of the user's own out of the registry again: no test meets those of another."""
    yield
    registry = sys.modules.get("thresher.index.registry")
    if registry is not None:
        for name in [name for name, index in registry.INDICES.items() if index.is_user_defined]:
            del registry.INDICES[name]
