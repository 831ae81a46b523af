"""Figures and claims that are reproduced together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thresher.errors import UnknownNameError
from thresher.research.papers.claims import Claim
from thresher.research.papers.figure import PaperFigure


@dataclass(frozen=True)
class Collection:
    """Figures, the claims that are checked with them, and the head of their gallery.

    Parameters
    ----------
    title, introduction : str
        At the head of the gallery.
    figures : mapping of str to PaperFigure
        By name, in the order in which they are shown.
    claims : mapping of str to Claim
        By name, in the order in which they are shown.
    """

    title: str
    introduction: str
    figures: Mapping[str, PaperFigure]
    claims: Mapping[str, Claim]

    def select(self, names: Sequence[str]) -> list[PaperFigure]:
        """Return the figures of some names, all of them without a name; a name also stands for those that it begins.

        ``figure-3`` is all of figure 3, ``figure-1`` also ``figure-1-ours``.

        Raises
        ------
        UnknownNameError
            If no figure has such a name; the message suggests the nearest.
        """
        wanted = {key for name in names for key in self._matches(name)}
        return [figure for key, figure in self.figures.items() if not names or key in wanted]

    def claims_beside(self, figures: Sequence[PaperFigure]) -> list[Claim]:
        """Return the claims that belong to some figures; all claims if these are all figures."""
        shown = {figure.name for figure in figures}
        return [claim for claim in self.claims.values() if claim.figure in shown or len(shown) == len(self.figures)]

    def _matches(self, name: str) -> list[str]:
        found = [key for key in self.figures if key == name or key.startswith(name + "-")]
        if not found:
            raise UnknownNameError("figure", name, self.figures)
        return found
