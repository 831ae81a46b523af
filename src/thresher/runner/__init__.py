"""Campaigns whose measurements the machine makes itself: by a command, a Python function or a local HTTP endpoint.

A :class:`Run` spends the budget of a :class:`RunSpec`, which :func:`load_spec` reads from a TOML file. A
:class:`Measurement` gives one outcome of one arm, or raises :class:`Unmeasured`; a :class:`Reading` says where in its
output the outcome stands.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.runner.command import CommandMeasurement as CommandMeasurement
    from thresher.runner.endpoint import EndpointMeasurement as EndpointMeasurement
    from thresher.runner.function import FunctionMeasurement as FunctionMeasurement
    from thresher.runner.measurement import Measured as Measured
    from thresher.runner.measurement import Measurement as Measurement
    from thresher.runner.measurement import Unmeasured as Unmeasured
    from thresher.runner.reading import Reading as Reading
    from thresher.runner.run import Finished as Finished
    from thresher.runner.run import Run as Run
    from thresher.runner.spec import RunSpec as RunSpec
    from thresher.runner.spec_file import load_spec as load_spec

# Loaded when first used: a process that only calls a user's function does not pay for Numba.
_HOMES = {
    "CommandMeasurement": "command",
    "EndpointMeasurement": "endpoint",
    "Finished": "run",
    "FunctionMeasurement": "function",
    "Measured": "measurement",
    "Measurement": "measurement",
    "Reading": "reading",
    "Run": "run",
    "RunSpec": "spec",
    "Unmeasured": "measurement",
    "load_spec": "spec_file",
}

__all__ = [
    "CommandMeasurement",
    "EndpointMeasurement",
    "Finished",
    "FunctionMeasurement",
    "Measured",
    "Measurement",
    "Reading",
    "Run",
    "RunSpec",
    "Unmeasured",
    "load_spec",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher.runner' has no attribute {name!r}")
    return getattr(importlib.import_module(f"thresher.runner.{_HOMES[name]}"), name)
