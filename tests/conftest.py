"""What every test relies on: the same environment everywhere, code compiled from these sources, a random seed."""

import gc
import os
import random
import secrets
import signal
import sys
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.support.nightly import check_marks, is_nightly

# `nohup make test &`, cron and many CI runners ignore SIGINT, and every process that a test starts inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Variables that change what our commands print or where they look. A test that is about one of them sets it.
for _name in [name for name in os.environ if name.startswith("THRESHER_")] + ["COLUMNS", "FORCE_COLOR", "NO_COLOR"]:
    os.environ.pop(_name, None)

# A worker for each core: a second thread of NumPy's linear algebra would only spin while it waits for a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Containers often forbid Python to keep its bytecode: each of hundreds of processes would compile every module again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No deadline: the first call of a compiled function takes seconds. Under CI the examples are the same in every run.
settings.register_profile("thresher", deadline=None, print_blob=True, derandomize="CI" in os.environ, max_examples=20)
settings.register_profile("thorough", deadline=None, print_blob=True, max_examples=400)  # `make nightly`
settings.load_profile("thresher")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the chaos suites, and the table of processor times."""
    parser.addoption("--full", action="store_true", help="break things as often as `make chaos` does")
    parser.addoption("--cpu-time", action="store_true", help="print the processor time of the slowest test files")
    parser.addoption("--seed", type=int, help="random seed of the chaos suites; by default a new one for every run")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the random seed, before xdist passes the options on to its workers; measure if that is asked for."""
    if config.option.seed is None:
        config.option.seed = secrets.randbits(32)
    if config.option.cpu_time:
        from tests.support.cpu_time import CpuTime

        config.pluginmanager.register(CpuTime())


def pytest_report_header(config: pytest.Config) -> str:
    """Print the random seed."""
    return f"random seed of the chaos suites: {config.option.seed} (repeat with --seed {config.option.seed})"


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Give random numbers that follow from the seed of the run and the name of the test."""
    return random.Random(f"{request.config.option.seed} {request.node.name}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while modules are imported, which leave none: a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, object, object]:
    """Check marks and groups; leave the nightly tests out, unless `-m` selects them."""
    if not any("::" in chosen for chosen in config.args):
        check_marks(items)  # before `-k` and `-m` take cases away
    result = yield
    if getattr(config.option, "loadgroup", False):
        apart = [item for item in items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid]
        assert not apart, "this pytest-xdist does not group tests: each worker would start a browser and a PostgreSQL"
    if "nightly" not in config.option.markexpr:
        by_night = [item for item in items if is_nightly(item)]
        config.hook.pytest_deselected(items=by_night)
        items[:] = [item for item in items if not is_nightly(item)]
    return result


def pytest_collection_finish() -> None:
    """Compile and build nothing twice; let the garbage collector pass over what was collected: a tenth of the time."""
    from tests.support.commands_once import build_commands_once
    from tests.support.compile_once import compile_once  # not earlier: it imports Numba

    compile_once()
    build_commands_once()
    if "thresher.campaign.storage.sqlite" in sys.modules:
        from tests.support.databases_once import build_databases_once

        build_databases_once()
    if "fastapi" in sys.modules:
        from tests.support.routes_once import build_routes_once

        build_routes_once()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _forget_what_users_registered() -> Iterator[None]:
    """Forget indices, policies and campaigns in memory that a test has left behind: no test meets those of another."""
    yield
    if (addresses := sys.modules.get("thresher.campaign.storage.address")) is not None:
        addresses._memories.clear()
    if (indices := sys.modules.get("thresher.policy.index.registry")) is not None:
        for name in [name for name, index in indices.INDICES.items() if index.is_user_defined]:
            del indices.INDICES[name]
    if (policies := sys.modules.get("thresher.policy.registry")) is not None:
        for name in set(policies.ALGORITHMS) - policies.BUILT_IN:
            del policies.ALGORITHMS[name]
        policies.OWN.clear()
