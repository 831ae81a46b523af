"""The index that ranks the next pull of an arm: one formula per file.

The family turns outcomes into evidence (:mod:`thresher.inference.evidence`); an :class:`Index` turns pulls, evidence
and cost into a number, and the arm of the least one is pulled next. Any index goes with any family. The formulas are
compiled scalars that the reference loop, the kernels, a live campaign and the docs all share.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.policy.index.assumption import check_assumption
    from thresher.policy.index.base import USER_CODE, Formula, Index
    from thresher.policy.index.dispatch import NO_USER_INDEX, index_of
    from thresher.policy.index.registry import INDICES, find_index, pointer_of, register_index
    from thresher.policy.index.sprt import SPRT
    from thresher.policy.index.stopping import STOPPING, stopping_formula
    from thresher.policy.index.uniform import UNIFORM

import_lazily(__name__)

__all__ = [
    "INDICES",
    "NO_USER_INDEX",
    "SPRT",
    "STOPPING",
    "UNIFORM",
    "USER_CODE",
    "Formula",
    "Index",
    "check_assumption",
    "find_index",
    "index_of",
    "pointer_of",
    "register_index",
    "stopping_formula",
]
