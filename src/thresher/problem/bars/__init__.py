"""The kinds of bar, one file each: where the bar is. To add one, write its file and add it to the registries.

What outcomes say of it is in :mod:`thresher.inference.bars`.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.problem.bars.bar import ProblemBar
    from thresher.problem.bars.control import NO_CONTROL, Control, control_of, is_tied, margin_text
    from thresher.problem.bars.registry import bar_of_question

import_lazily(__name__)

__all__ = ["NO_CONTROL", "Control", "ProblemBar", "bar_of_question", "control_of", "is_tied", "margin_text"]
