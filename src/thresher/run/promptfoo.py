"""A measurement by promptfoo: one test case with one prompt and one provider, graded by its assertions."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from thresher.errors import InvalidInputError
from thresher.run.batches import Batches
from thresher.run.importers import ERROR
from thresher.run.measurement import LimitedMeasurement, Measured, MeasurementError
from thresher.run.promptfoo_program import Promptfoo, end
from thresher.run.promptfoo_suite import PromptfooSuite

OUTCOMES = ("success", "score")
NAMED = "scores."  # an outcome that is the score of a metric
BATCH = 20  # cases in one process unless `jobs` is given: promptfoo takes seconds to start


@dataclass(eq=False)
class PromptfooMeasurement(LimitedMeasurement):
    """Measures an arm on an item by running that test case in promptfoo, with its cache and its graders.

    Measurements of several threads run in one process of promptfoo.

    Parameters
    ----------
    program : Promptfoo
    suite : PromptfooSuite
        The arms and items of its configuration.
    outcome : str
        ``success`` (1 if all assertions pass, else 0), ``score``, or ``scores.METRIC``.
    most : int
        Largest number of cases in one process.

    Raises
    ------
    InvalidInputError
        If the outcome is not one of these.
    """

    program: Promptfoo
    suite: PromptfooSuite
    _: KW_ONLY
    outcome: str = "success"
    most: int = BATCH

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.outcome not in OUTCOMES and not self.outcome.startswith(NAMED):
            raise InvalidInputError("outcome", self.outcome, rule="must be success, score or scores.METRIC")
        self._batches: Batches[dict[str, Any], Measured] = Batches(self._run, most=self.most)

    def __str__(self) -> str:
        return f"promptfoo eval -c {self.program.config.name}"

    def measure(
        self,
        arm: str,  # noqa: ARG002
        parameters: Mapping[str, Any],
        item: str | None = None,
        repeat: int | None = None,  # noqa: ARG002
    ) -> Measured:
        """Return the outcome of one case.

        Raises
        ------
        MeasurementError
            If promptfoo fails, or the provider or a grader did not answer.
        """
        assert item is not None
        with self._lock:
            self._raise_if_stopped()
        chosen = {key: parameters[key] for key in ("prompt", "provider")}
        return self._batches.ask({"number": self.suite.number_of(item), **chosen})

    def stop(self) -> None:
        """Stop the running process at once; later measurements raise MeasurementError."""
        super().stop()
        self._batches.stop()

    def _end(self, running: subprocess.Popen[bytes]) -> None:
        end(running)

    def _begin(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._running = {process}
            self._raise_if_stopped()

    def _run(self, plan: list[dict[str, Any]]) -> Sequence[Measured | Exception]:
        """Return the outcome of each case of a plan, or why it has none."""
        started = time.perf_counter()
        results = self.program.run(plan, self._begin).results["results"]
        seconds = (time.perf_counter() - started) / len(plan)
        by_position = {one["testIdx"]: one for one in results}
        if len(results) != len(plan) or by_position.keys() != set(range(len(plan))):
            return [MeasurementError(f"returned {len(results)} results for {len(plan)} cases")] * len(plan)
        return [self._outcome_of(by_position[i], seconds) for i in range(len(plan))]

    def _outcome_of(self, result: Mapping[str, Any], seconds: float) -> Measured | MeasurementError:
        if result.get("failureReason") == ERROR:
            why = " ".join(str(result.get("error") or "unknown error").split())[:200]
            return MeasurementError(f"had an error of the provider or of a grader: {why}")
        named = result.get("namedScores") or {}
        metric = self.outcome.removeprefix(NAMED)
        value = named.get(metric) if metric != self.outcome else result.get(self.outcome)
        if not isinstance(value, (int, float)):
            known = ", ".join(named) or "none"
            return MeasurementError(f"has no {self.outcome}; its metrics: {known}", is_retryable=False)
        return Measured(float(value), seconds)
