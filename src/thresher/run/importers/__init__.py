"""Import of outcomes from the files of other tools; reading a file again imports nothing twice.

One module reads one format into records with named cells; :data:`thresher.registries.LOG_FORMATS` lists them, and
:class:`Columns` says what the cells mean.
:class:`LogImport` shows what was understood and stores it; :func:`read_log` and :func:`tell_log` are the two halves of
that for a campaign that has all arms and items. :class:`ScoreImport` stores a column of scores.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.campaign import Imported, ImportOptions
    from thresher.run.importers.formats import FORMATS, installed_formats, known_endings, map_log, open_log, read_log
    from thresher.run.importers.inspect_ai import values_of
    from thresher.run.importers.labels import label_of
    from thresher.run.importers.log import Columns, Log, LoggedOutcome, MappedLog, Record
    from thresher.run.importers.log_import import Creation, LogImport
    from thresher.run.importers.mapping import map_columns
    from thresher.run.importers.outcome_columns import OutcomeColumns
    from thresher.run.importers.preview import Preview, earlier_note
    from thresher.run.importers.promptfoo import ERROR
    from thresher.run.importers.scores import ScoreImport
    from thresher.run.importers.telling import tell_log

import_lazily(__name__)

__all__ = [
    "ERROR",
    "FORMATS",
    "Columns",
    "Creation",
    "ImportOptions",
    "Imported",
    "Log",
    "LogImport",
    "LoggedOutcome",
    "MappedLog",
    "OutcomeColumns",
    "Preview",
    "Record",
    "ScoreImport",
    "earlier_note",
    "installed_formats",
    "known_endings",
    "label_of",
    "map_columns",
    "map_log",
    "open_log",
    "read_log",
    "tell_log",
    "values_of",
]
