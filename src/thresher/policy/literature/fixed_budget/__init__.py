"""Fixed-budget policies that are not indices: they depend on all arms, on the time or on the horizon.

Each algorithm is one file with its formula and its steps, see :mod:`thresher.policy.rule`.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.policy.literature.fixed_budget.beta import beta_tails

import_lazily(__name__)

__all__ = [
    "beta_tails",
]
