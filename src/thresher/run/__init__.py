"""Workers: measure the arms of a campaign by a command, a Python function or an HTTP endpoint.

A :class:`Run` spends the budget of a :class:`RunSpec`, which :func:`load_spec` reads from a TOML file. A
:class:`Measurement` returns one outcome of one arm, or raises :class:`MeasurementError`; a :class:`Reading` finds the
outcome in its output.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.runner.command import CommandMeasurement
    from thresher.runner.endpoint import EndpointMeasurement
    from thresher.runner.function import FunctionMeasurement
    from thresher.runner.measurement import Measured, Measurement, MeasurementError
    from thresher.runner.promptfoo import PromptfooMeasurement
    from thresher.runner.reading import Reading
    from thresher.runner.run import Finished, Run
    from thresher.runner.spec import RunSpec
    from thresher.runner.spec_file import load_spec

# Imported on first use: a process that only calls a user's function does not import Numba.
_HOMES = {
    "CommandMeasurement": "command",
    "EndpointMeasurement": "endpoint",
    "Finished": "run",
    "FunctionMeasurement": "function",
    "Measured": "measurement",
    "Measurement": "measurement",
    "PromptfooMeasurement": "promptfoo",
    "Reading": "reading",
    "Run": "run",
    "RunSpec": "spec",
    "MeasurementError": "measurement",
    "load_spec": "spec_file",
}

__all__ = [
    "CommandMeasurement",
    "EndpointMeasurement",
    "Finished",
    "FunctionMeasurement",
    "Measured",
    "Measurement",
    "MeasurementError",
    "PromptfooMeasurement",
    "Reading",
    "Run",
    "RunSpec",
    "load_spec",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher.runner' has no attribute {name!r}")
    return getattr(importlib.import_module(f"thresher.runner.{_HOMES[name]}"), name)
