"""The figures by name, in the order in which they are shown."""

from __future__ import annotations

from thresher.research.papers.claims import CLAIMS
from thresher.research.papers.collection import Collection
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.figure_1 import FIGURE_1, FIGURE_1_OURS
from thresher.research.papers.figure_2 import FIGURE_2, FIGURE_2_OURS
from thresher.research.papers.figure_3_left import FIGURE_3_LEFT, FIGURE_3_LEFT_OURS
from thresher.research.papers.figure_3_right import FIGURE_3_RIGHT, FIGURE_3_RIGHT_OURS
from thresher.research.papers.figure_4 import FIGURE_4, FIGURE_4_OURS
from thresher.research.papers.figure_5 import FIGURE_5, FIGURE_5_OURS
from thresher.research.papers.figure_6 import FIGURE_6, FIGURE_6_OURS
from thresher.research.papers.figure_7 import FIGURE_7, FIGURE_7_OURS
from thresher.research.papers.figure_8 import FIGURE_8, FIGURE_8_OURS
from thresher.research.papers.toy import TOY

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
    )
}


OUHAMMA2021 = Collection(
    title="The figures of “Online Sign Identification”, again",
    introduction="Each figure of Ouhamma, Degenne, Gaillard and Perchet (NeurIPS 2021), made again with their policies "
    "and settings, and a second time with policies of thresher; each of its claims that can be checked, checked. A "
    "mistake is an arm on the wrong side of the bar; the budget T counts pulls.",
    figures=FIGURES,
    claims=CLAIMS,
)
