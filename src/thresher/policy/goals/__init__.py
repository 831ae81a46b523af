"""Policies for other goals than few mistakes: many decided arms, or seldom more than a number of mistakes.

Each algorithm is one file with its formula and its steps, see :mod:`thresher.policy.rule`.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.policy.goals.decide import decide_formula, index_to_decide, level_to_decide
    from thresher.policy.goals.more_than import BY_STOPPING, evidence_by

import_lazily(__name__)

__all__ = [
    "BY_STOPPING",
    "decide_formula",
    "evidence_by",
    "index_to_decide",
    "level_to_decide",
]
