"""The evidence of an arm, and the index that ranks its next pull: one formula per file.

The family turns outcomes into evidence (:mod:`thresher.index.evidence`); an :class:`Index` turns pulls, evidence and
cost into
urgency, and the arm of least urgency is pulled next. Any index goes with any family. The formulas are compiled
scalars that the reference loop, the kernels, a live campaign and the docs all share.
"""

from thresher.index.assumption import check_assumption
from thresher.index.base import Index
from thresher.index.registry import INDICES, find_index, register_index

__all__ = ["INDICES", "Index", "check_assumption", "find_index", "register_index"]
