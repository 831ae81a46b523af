r"""The bar that arms are compared with: fixed thresholds, or the unknown mean of a control.

:func:`bar_of` returns the bar of a question. Everything that depends on its kind is a method: the values that it may
have with their weights, the sides of the arms, what is certain, intervals, e-values, and what a row shows. All results
are about the judged arms (``question.judged``), in their order.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.inference.bars.bar import BarColumns, QuestionBar, bar_of
    from thresher.inference.bars.control import ControlBar
    from thresher.inference.bars.control_e_values import difference_e_values
    from thresher.inference.bars.control_intervals import difference_intervals, lift_intervals
    from thresher.inference.bars.control_statistics import difference_means
    from thresher.inference.bars.fixed import FixedBar
    from thresher.inference.bars.pairs import shared_errors

import_lazily(__name__)

__all__ = [
    "BarColumns",
    "ControlBar",
    "FixedBar",
    "QuestionBar",
    "bar_of",
    "difference_e_values",
    "difference_intervals",
    "difference_means",
    "lift_intervals",
    "shared_errors",
]
