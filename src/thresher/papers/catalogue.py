"""The figures by name, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.errors import UnknownNameError
from thresher.papers.chen2013 import CHEN2013
from thresher.papers.degenne2019 import DEGENNE2019
from thresher.papers.figure import PaperFigure
from thresher.papers.figure_1 import FIGURE_1, FIGURE_1_OURS
from thresher.papers.figure_2 import FIGURE_2, FIGURE_2_OURS
from thresher.papers.figure_3_left import FIGURE_3_LEFT, FIGURE_3_LEFT_OURS
from thresher.papers.figure_3_right import FIGURE_3_RIGHT, FIGURE_3_RIGHT_OURS
from thresher.papers.figure_4 import FIGURE_4, FIGURE_4_OURS
from thresher.papers.figure_5 import FIGURE_5, FIGURE_5_OURS
from thresher.papers.figure_6 import FIGURE_6, FIGURE_6_OURS
from thresher.papers.figure_7 import FIGURE_7, FIGURE_7_OURS
from thresher.papers.figure_8 import FIGURE_8, FIGURE_8_OURS
from thresher.papers.kano2019 import KANO2019
from thresher.papers.katz_samuels2018 import KATZ_SAMUELS2018
from thresher.papers.locatelli2016 import LOCATELLI2016
from thresher.papers.toy import TOY

FIGURES: dict[str, PaperFigure] = {
    figure.name: figure
    for figure in (
        FIGURE_1,
        FIGURE_1_OURS,
        FIGURE_2,
        FIGURE_2_OURS,
        FIGURE_3_LEFT,
        FIGURE_3_LEFT_OURS,
        FIGURE_3_RIGHT,
        FIGURE_3_RIGHT_OURS,
        TOY,
        FIGURE_4,
        FIGURE_4_OURS,
        FIGURE_5,
        FIGURE_5_OURS,
        FIGURE_6,
        FIGURE_6_OURS,
        FIGURE_7,
        FIGURE_7_OURS,
        FIGURE_8,
        FIGURE_8_OURS,
        LOCATELLI2016,
        CHEN2013,
        KANO2019,
        DEGENNE2019,
        KATZ_SAMUELS2018,
    )
}


def select(names: Sequence[str]) -> list[PaperFigure]:
    """Return the figures of some names, all of them if there is none; a name also stands for those that it begins.

    ``figure-3`` is all of figure 3, ``figure-1`` also ``figure-1-ours``.

    Raises
    ------
    UnknownNameError
        If no figure has such a name; the message suggests the nearest.
    """
    wanted = {key for name in names for key in _matches(name)}
    return [figure for key, figure in FIGURES.items() if not names or key in wanted]


def _matches(name: str) -> list[str]:
    found = [key for key in FIGURES if key == name or key.startswith(name + "-")]
    if not found:
        raise UnknownNameError("figure", name, FIGURES)
    return found
