"""Tables and pictures, for simulations and campaigns alike.

A :class:`Line` is a name and its values, drawn by :func:`draw_curves` against budget into a file and by
:func:`terminal_picture` into the terminal; :func:`picture_path` checks beforehand whether a picture can be written.
A :class:`PlannedCurve` belongs to the plan of a budget, drawn by :func:`draw_plan`. A :class:`StoppingTime` is how long
a policy took until it stopped, drawn by :func:`draw_stopping_times`. :class:`Dots` are values by row, drawn by
:func:`draw_dots`; :func:`markdown_table` writes rows as Markdown, and :func:`frame_of` gives them to whichever
data-frame library is installed.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.report.curves import curves_of, draw_curves, picture_path
    from thresher.report.dot_plot import Dots, draw_dots
    from thresher.report.frames import frame_of
    from thresher.report.markdown import markdown_table
    from thresher.report.panels import Line
    from thresher.report.plan_picture import PlannedCurve, draw_plan
    from thresher.report.stopping_times import StoppingTime, draw_stopping_times
    from thresher.report.terminal import terminal_picture
    from thresher.report.verdict_picture import draw_verdicts

import_lazily(__name__)

__all__ = [
    "Dots",
    "Line",
    "PlannedCurve",
    "StoppingTime",
    "curves_of",
    "draw_curves",
    "draw_dots",
    "draw_plan",
    "draw_stopping_times",
    "draw_verdicts",
    "frame_of",
    "markdown_table",
    "picture_path",
    "terminal_picture",
]
