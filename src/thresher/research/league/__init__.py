"""The league: all policies play a suite of problems.

:func:`league` plays it, :func:`read_league` reads a result and :func:`merge_leagues` puts several into one.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.research.league.files import tables, write_league
    from thresher.research.league.leagues import League, LeagueCell, LeagueStanding, league
    from thresher.research.league.results import merge_leagues, read_league
    from thresher.research.league.suite import SuiteEntry

import_lazily(__name__)

__all__ = [
    "League",
    "LeagueCell",
    "LeagueStanding",
    "SuiteEntry",
    "league",
    "merge_leagues",
    "read_league",
    "tables",
    "write_league",
]
