"""All figures and claims: those of the paper, which are shipped, and those of its neighbours."""

from __future__ import annotations

from reproduction.chen2013 import CHEN2013
from reproduction.claims import CLAIMS
from reproduction.degenne2019 import DEGENNE2019
from reproduction.kano2019 import KANO2019
from reproduction.katz_samuels2018 import KATZ_SAMUELS2018
from reproduction.locatelli2016 import LOCATELLI2016
from thresher.research.papers import FIGURES as SHIPPED
from thresher.research.papers import Collection, PaperFigure

OTHERS = (LOCATELLI2016, CHEN2013, KANO2019, DEGENNE2019, KATZ_SAMUELS2018)
FIGURES: dict[str, PaperFigure] = dict(SHIPPED) | {figure.name: figure for figure in OTHERS}

LITERATURE = Collection(
    title="Figures and claims of the literature, again",
    introduction="Each figure of Ouhamma, Degenne, Gaillard and Perchet (“Online Sign Identification”, NeurIPS 2021), "
    "made again with their policies and settings, and a second time with policies of thresher; experiments of "
    "neighbouring papers, published values next to thresher's; each claim that can be checked, checked. A mistake is "
    "an arm on the wrong side of the bar; the budget T counts pulls.",
    figures=FIGURES,
    claims=CLAIMS,
)
