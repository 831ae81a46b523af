"""The figures and claims of the paper, reproduced by one command.

One module for each figure defines its inputs and outputs. :func:`reproduce` makes their numbers, pictures and a
gallery; :data:`CLAIMS` has the checkable sentences of the paper that a figure shows, each with its check.
"""

from thresher.papers.catalogue import FIGURES, OUHAMMA2021
from thresher.papers.claims import CLAIMS, Claim, ClaimVerdict, Finding
from thresher.papers.collection import Collection
from thresher.papers.figure import FigureTable, PaperFigure
from thresher.papers.grid import Experiment, Grid
from thresher.papers.reproduction import CheckedClaim, MadeFigure, Reproduction, files_of, reproduce
from thresher.report.panels import Line, Panel

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
