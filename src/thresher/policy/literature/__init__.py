"""The policies of the literature, one file each.

:mod:`fixed_budget` has those that spend a budget, :mod:`fixed_confidence` those that stop at an error rate. To add one,
write its file and add its name to ``MODULES`` in :mod:`thresher.policy.registry`.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.policy.literature.known_standard import DEAREST, BetaPrior, TablePrior, least_cost, posteriors_of

import_lazily(__name__)

__all__ = [
    "DEAREST",
    "BetaPrior",
    "TablePrior",
    "least_cost",
    "posteriors_of",
]
