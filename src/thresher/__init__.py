"""thresher decides, for each of K arms, whether it passes a bar, with few mistakes on a budget of noisy measurements.

>>> import thresher as th
>>> result = th.simulate("linear", ["lsa", "stopping"], budgets=[500, 1000], runs=200, seed=1)
>>> result.compare("stopping", "lsa")[0].ratio < 1
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.errors import ThresherError as ThresherError
    from thresher.experiment.simulation import simulate as simulate
    from thresher.index import register_index as register_index
    from thresher.live import Campaign as Campaign
    from thresher.policy import register_policy as register_policy
    from thresher.problem import Problem as Problem

__version__ = "0.2.0"

# Imported on first use, because Numba and SciPy are slow to import.
_HOMES = {
    "Campaign": "thresher.live",
    "Problem": "thresher.problem",
    "ThresherError": "thresher.errors",
    "register_index": "thresher.index",
    "register_policy": "thresher.policy",
    "simulate": "thresher.experiment",
}

__all__ = ["Campaign", "Problem", "ThresherError", "__version__", "register_index", "register_policy", "simulate"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
