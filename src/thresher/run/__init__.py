"""Workers: measure the arms of a campaign by a command, a Python function or an HTTP endpoint.

A :class:`Run` spends the budget of a :class:`RunSpec`, which :func:`load_spec` reads from a TOML file. A
:class:`Measurement` returns one outcome of one arm, or raises :class:`MeasurementError`; a :class:`Reading` finds the
outcome in its output.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.run.command import CommandMeasurement
    from thresher.run.endpoint import EndpointMeasurement
    from thresher.run.function import FunctionMeasurement
    from thresher.run.installed import installed_measurements
    from thresher.run.loop import FailingCommandError
    from thresher.run.measurement import Measured, Measurement, MeasurementError
    from thresher.run.promptfoo import PromptfooMeasurement
    from thresher.run.reading import Reading, as_number
    from thresher.run.run import Finished, Run, Watch
    from thresher.run.scoring import Scored
    from thresher.run.spec import RunSpec
    from thresher.run.spec_file import load_spec
    from thresher.run.summaries import document, junit_xml, markdown_summary
    from thresher.run.work import Worker

# A process that only calls a user's function does not import Numba.
import_lazily(__name__)

__all__ = [
    "CommandMeasurement",
    "EndpointMeasurement",
    "FailingCommandError",
    "Finished",
    "FunctionMeasurement",
    "Measured",
    "Measurement",
    "MeasurementError",
    "PromptfooMeasurement",
    "Reading",
    "Run",
    "RunSpec",
    "Scored",
    "Watch",
    "Worker",
    "as_number",
    "document",
    "installed_measurements",
    "junit_xml",
    "load_spec",
    "markdown_summary",
]
