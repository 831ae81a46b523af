"""Import of outcomes from the files of other tools; reading a file again imports nothing twice.

One module reads one format into records with named cells; :data:`thresher.registries.LOG_FORMATS` lists them, and
:class:`Columns` says what the cells mean.
:class:`LogImport` shows what was understood and stores it; :func:`read_log` and :func:`tell_log` are the two halves of
that for a campaign that has all arms and items.
"""

from thresher.live import Imported, ImportOptions
from thresher.runner.adapters.formats import FORMATS, map_log, read_log
from thresher.runner.adapters.log import Columns, Log, LoggedOutcome, MappedLog, Record
from thresher.runner.adapters.log_import import Creation, LogImport
from thresher.runner.adapters.outcome_columns import OutcomeColumns
from thresher.runner.adapters.preview import Preview
from thresher.runner.adapters.telling import tell_log

__all__ = [
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
    "map_log",
    "read_log",
    "tell_log",
]
