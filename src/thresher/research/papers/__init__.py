"""The figures and claims of the paper, reproduced by one command.

One module for each figure defines its inputs and outputs. :func:`reproduce` makes their numbers, pictures and a
gallery; :data:`CLAIMS` has the checkable sentences of the paper that a figure shows, each with its check.
"""

from thresher.report import Line, Panel
from thresher.research.papers.catalogue import FIGURES, OUHAMMA2021
from thresher.research.papers.claims import CLAIMS, Claim, ClaimVerdict, Finding
from thresher.research.papers.collection import Collection
from thresher.research.papers.figure import FigureTable, PaperFigure
from thresher.research.papers.grid import Experiment, Grid
from thresher.research.papers.reproduction import CheckedClaim, MadeFigure, Reproduction, files_of, reproduce

__all__ = [
    "CLAIMS",
    "FIGURES",
    "OUHAMMA2021",
    "CheckedClaim",
    "Claim",
    "ClaimVerdict",
    "Collection",
    "Experiment",
    "FigureTable",
    "Finding",
    "Grid",
    "Line",
    "MadeFigure",
    "Panel",
    "PaperFigure",
    "Reproduction",
    "files_of",
    "reproduce",
]
