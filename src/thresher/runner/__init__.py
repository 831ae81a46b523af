"""Campaigns whose measurements the machine makes itself: by a command, a Python function or a local HTTP endpoint.

A :class:`Measurement` gives one outcome of one arm, or raises :class:`Unmeasured`; a :class:`Reading` says where in its
output the outcome stands. :class:`CommandMeasurement` runs a process for each pull.
"""

from thresher.runner.command import CommandMeasurement
from thresher.runner.measurement import Measured, Measurement, Unmeasured
from thresher.runner.reading import Reading

__all__ = ["CommandMeasurement", "Measured", "Measurement", "Reading", "Unmeasured"]
