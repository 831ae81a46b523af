"""Reproduce figures: write their numbers, pictures and a gallery, and check their claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.errors import ExperimentError
from thresher.report import Panels, plotting, write_pictures
from thresher.research.papers.catalogue import OUHAMMA2021
from thresher.research.papers.claims import Claim, Finding
from thresher.research.papers.collection import Collection
from thresher.research.papers.figure import FigureTable, PaperFigure, as_csv, table_as_csv
from thresher.research.papers.gallery import gallery
from thresher.research.papers.grid import RUNS, Grid
from thresher.research.papers.prediction import prediction
from thresher.research.simulation import about

LEAST_RUNS = 300  # with fewer, chance may decide a claim
STEPS = 20  # of the progress of one figure: simulations are shown in these parts


@dataclass(frozen=True)
class MadeFigure:
    """A reproduced figure: its panels, its table if it has one, and a sentence on what it shows."""

    figure: PaperFigure
    panels: Panels
    table: FigureTable | None
    found: str


@dataclass(frozen=True)
class CheckedClaim:
    """A claim and what its check found."""

    claim: Claim
    finding: Finding

    @property
    def agrees(self) -> bool:
        """Whether the check found what the claim's row says."""
        return self.finding.verdict == self.claim.verdict


@dataclass(frozen=True)
class Reproduction:
    """The result of a reproduction: collection, directory, figures, checked claims and number of runs."""

    collection: Collection
    out: Path
    figures: tuple[MadeFigure, ...]
    claims: tuple[CheckedClaim, ...]
    runs: int
    seed: int


def reproduce(
    names: Sequence[str] = (),
    *,
    out: Path | str,
    collection: Collection = OUHAMMA2021,
    runs: int = RUNS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> Reproduction:
    """Make figures with their numbers and a gallery, and check the claims that belong to them, with 300 runs or more.

    Parameters
    ----------
    names : sequence of str
        Names of figures, see :meth:`Collection.select`; none for all of them, and all claims.
    out : path
        The directory; created if missing. It gets ``NAME.csv``, ``NAME.png``, ``NAME.svg``, ``claims.csv`` and
        ``index.html``.
    collection : Collection
        The figures and claims; those of the paper unless given.
    runs, seed : int
        Runs of each simulation, and the random seed.
    progress : callable, optional
        Called with (steps done, steps in all).
    say : callable, optional
        Called with a sentence when something takes long; with 2,000 runs or more first with the predicted time.

    Raises
    ------
    UnknownNameError, ExperimentError, MissingExtraError
        If there is no such figure, the directory cannot be written, or matplotlib is not installed.
    """
    figures = collection.select(names)
    plotting()  # complain about a missing package before the work, not after it
    folder = _folder(Path(out))
    if say is not None and (sentence := prediction(figures, runs=runs, seed=seed)):
        say(sentence)
    meter = _Meter(len(figures) + 1, progress)
    grid = Grid(runs=runs, seed=seed, progress=meter.part, say=say)
    made = []
    for figure in figures:
        made.append(_make(figure, grid, folder))
        meter.next()
    checking = grid if runs >= LEAST_RUNS else Grid(runs=LEAST_RUNS, seed=seed, progress=meter.part, say=say)
    checked = tuple(CheckedClaim(claim, claim.check(checking)) for claim in collection.claims_beside(figures))
    whole = Reproduction(collection, folder, tuple(made), checked, runs, seed)
    (folder / "claims.csv").write_text(table_as_csv(_claims_table(checked)), encoding="utf-8")
    (folder / "index.html").write_text(gallery(whole, about()), encoding="utf-8")
    meter.next()
    return whole


def files_of(figures: Sequence[PaperFigure]) -> list[str]:
    """Return the names of the files that a reproduction of these figures writes."""
    tables = [f"{figure.name}-table.csv" for figure in figures if figure.table is not None]
    own = [f"{figure.name}.{ending}" for figure in figures for ending in ("csv", "png", "svg")]
    return [*own, *tables, "claims.csv", "index.html"]


class _Meter:
    """Progress over figures, and within one over its simulations."""

    def __init__(self, figures: int, show: Callable[[int, int], None] | None) -> None:
        self._figures, self._done, self._part = figures, 0, 0
        self._show = show or (lambda done, whole: None)  # noqa: ARG005

    def part(self, share: float) -> None:
        """Show the share of a simulation that is done."""
        # A figure may have several simulations: the second one does not take the bar back.
        self._part = max(self._part, int(share * (STEPS - 1)))
        self._show(self._done * STEPS + self._part, self._figures * STEPS)

    def next(self) -> None:
        """Go on to the next figure."""
        self._done, self._part = self._done + 1, 0
        self._show(self._done * STEPS, self._figures * STEPS)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / "index.html").touch()
    except OSError as error:
        raise ExperimentError(
            f"cannot write figures to {path}: {error.strerror}", instead="give another directory"
        ) from error
    return path


def _make(figure: PaperFigure, grid: Grid, folder: Path) -> MadeFigure:
    panels = figure.panels(grid)
    (folder / f"{figure.name}.csv").write_text(as_csv(panels), encoding="utf-8")
    write_pictures(panels, folder / figure.name)
    table = figure.table(grid) if figure.table is not None else None
    if table is not None:
        (folder / f"{figure.name}-table.csv").write_text(table_as_csv(table), encoding="utf-8")
    return MadeFigure(figure, panels, table, figure.found(panels))


def _claims_table(checked: Sequence[CheckedClaim]) -> FigureTable:
    header = ("claim", "place", "says", "verdict", "why", "evidence", "figure", "found", "numbers")
    rows = tuple(
        (c.claim.name, c.claim.place, c.claim.says, c.claim.verdict, c.claim.why, c.claim.evidence, c.claim.figure,
         c.finding.verdict, c.finding.numbers)
        for c in checked
    )  # fmt: skip
    return FigureTable(header, rows)
