"""Import of outcomes from the files of other tools; reading a file again imports nothing twice.

:func:`read_log` reads a file into :class:`LoggedOutcome` values, :func:`tell_log` tells them to a campaign. One module
reads one format: tables (CSV, Parquet), the logs of inspect_ai, the results of promptfoo, the exports of Label Studio.
"""

from thresher.runner.adapters.formats import FORMATS, read_log
from thresher.runner.adapters.log import Columns, Log, LoggedOutcome, Record
from thresher.runner.adapters.telling import Imported, tell_log

__all__ = ["FORMATS", "Columns", "Imported", "Log", "LoggedOutcome", "Record", "read_log", "tell_log"]
