"""Simulate and prove: what only research needs, and no campaign imports.

:mod:`engine` plays a policy on a problem, :mod:`simulation` runs grids of that, :mod:`league` lets all policies play a
suite of problems, :mod:`theory` has bounds and limits, and :mod:`papers` the figures and claims of the paper.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.research import engine, league, papers, simulation, theory

import_lazily(__name__)

__all__ = ["engine", "league", "papers", "simulation", "theory"]
