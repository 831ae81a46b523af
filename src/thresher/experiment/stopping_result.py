"""What came out of policies that stop by themselves: stopping times, errors, and when arms were output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from thresher.engine.confidence import Stopped
from thresher.errors import UnknownNameError
from thresher.experiment.result import standard_error, strict
from thresher.problem import Problem
from thresher.types import Floats


@dataclass(frozen=True)
class OutputTime:
    """Pulls until the n-th arm was output as above the bar, over the runs in which it was."""

    nth: int
    runs: int
    mean: float
    stderr: float


@dataclass(frozen=True)
class StopRow:
    """How long one policy took and how often it was wrong, over all runs.

    Attributes
    ----------
    policy : str
    budget : int
        The most pulls of a run.
    mean, stderr, q25, median, q75 : float
        Of the pulls until a run ended; a standard error is not a number after a single run.
    error, error_stderr : float
        Mean of what the policy promises to keep at δ or below, see `promise`.
    promise : str
        ``"any mistake"``, ``"share of false outputs"`` or ``"any false output"``.
    capped : float
        Share of the runs that ended at the most pulls; their true stopping times are longer.
    outputs : tuple of OutputTime
        Of the first output, the second, and so on.
    """

    policy: str
    budget: int
    mean: float
    stderr: float
    q25: float
    median: float
    q75: float
    error: float
    error_stderr: float
    promise: str
    capped: float
    outputs: tuple[OutputTime, ...]


@dataclass(frozen=True, eq=False)
class StoppingTimes:
    """Stopping times, errors and output times by policy and run.

    Parameters
    ----------
    problem : Problem
    confidence : float
        δ: the error that was allowed.
    most_pulls, runs, seed : int
    promises : dict of str to str
        What each policy promises.
    stopped : dict of str to Stopped
        By policy.
    about : dict
        Versions and the command that made it.
    """

    problem: Problem
    confidence: float
    most_pulls: int
    runs: int
    seed: int
    promises: Mapping[str, str]
    stopped: Mapping[str, Stopped]
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def policies(self) -> list[str]:
        """The policies, as they were named."""
        return list(self.stopped)

    def times(self, policy: str) -> Floats:
        """Return the pulls until each run ended, shape (runs,)."""
        return np.asarray(self._of(policy).times, dtype=np.float64)

    def pulls(self, policy: str) -> Floats:
        """Return the mean pulls of each arm, shape (K,)."""
        return np.asarray(self._of(policy).pulls / self.runs)

    def outputs(self, policy: str) -> tuple[OutputTime, ...]:
        """Return when the first arm was output as above, the second, and so on, where any was."""
        found = self._of(policy).outputs.astype(np.float64)
        made = []
        for i in range(found.shape[1]):
            times = found[found[:, i] > 0.0, i]
            if times.size:
                made.append(OutputTime(i + 1, times.size, float(times.mean()), standard_error(times)))
        return tuple(made)

    def rows(self) -> list[StopRow]:
        """Return one row for each policy."""
        return [self._row(name) for name in self.policies]

    def _row(self, name: str) -> StopRow:
        times, errors = self.times(name), self._of(name).errors
        q25, median, q75 = np.quantile(times, [0.25, 0.5, 0.75])
        return StopRow(
            policy=name,
            budget=self.most_pulls,
            mean=float(times.mean()),
            stderr=standard_error(times),
            q25=float(q25),
            median=float(median),
            q75=float(q75),
            error=float(errors.mean()),
            error_stderr=standard_error(errors),
            promise=self.promises[name],
            capped=float(self._of(name).capped.mean()),
            outputs=self.outputs(name),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what ``simulate --confidence δ --json`` prints."""
        return {
            "problem": self.problem.summary(),
            "runs": self.runs,
            "seed": self.seed,
            "confidence": self.confidence,
            "results": [strict(asdict(row)) for row in self.rows()],
            "notes": self.problem.notes,
            "about": self.about,
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> Any:
        """Return the rows, without the single outputs, as a data frame of pandas or polars."""
        from thresher.report.frames import frame_of

        return frame_of([{key: v for key, v in asdict(row).items() if key != "outputs"} for row in self.rows()])

    def _of(self, policy: str) -> Stopped:
        if policy not in self.stopped:
            raise UnknownNameError("policy of this result", policy, self.stopped)
        return self.stopped[policy]
