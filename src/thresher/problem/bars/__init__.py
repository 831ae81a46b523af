"""What arms are compared with: where a bar is, and how a user names a control.

The kinds of bar are in :mod:`thresher.inference.bars`, one file each.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.problem.bars.bar import ProblemBar
    from thresher.problem.bars.control import NO_CONTROL, Control, control_of, is_tied, margin_text
    from thresher.problem.bars.registry import kind_of_bar

import_lazily(__name__)

__all__ = ["NO_CONTROL", "Control", "ProblemBar", "control_of", "is_tied", "kind_of_bar", "margin_text"]
