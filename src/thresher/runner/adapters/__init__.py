"""Outcomes that other tools measured: from their files into a campaign, each once however often a file is read.

:func:`read_log` turns a file into :class:`LoggedOutcome` values, :func:`tell_log` brings them to a campaign. One module
reads one format: tables (CSV, Parquet), the logs of inspect_ai, the results of promptfoo, the exports of Label Studio.
"""

from thresher.runner.adapters.formats import FORMATS, read_log
from thresher.runner.adapters.log import Columns, Log, LoggedOutcome, Record
from thresher.runner.adapters.telling import Imported, tell_log

__all__ = ["FORMATS", "Columns", "Imported", "Log", "LoggedOutcome", "Record", "read_log", "tell_log"]
