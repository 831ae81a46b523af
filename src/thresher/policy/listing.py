"""All policies in a list, for commands and pages."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from thresher.index.registry import INDICES
from thresher.policy.confidence import CONFIDENCE, ConfidencePolicy
from thresher.policy.coupled import MORE_THAN, SOURCE, more_than
from thresher.policy.static import STATIC

DEFAULT = "stopping"


@dataclass(frozen=True)
class Listed:
    """One policy: name, parameters with defaults, whether it knows the means, what it does, where it comes from."""

    name: str
    parameters: str
    needs_truth: bool
    summary: str
    source: str


def list_policies() -> list[Listed]:
    """Return every policy, indices first."""
    listed = []
    for index in INDICES.values():
        has_parameter = index.parameter is not None and not index.needs_gaps
        parameters = f"{index.parameter}={index.default:g}" if has_parameter else ""
        listed.append(Listed(index.name, parameters, index.needs_gaps, _what(index.summary), index.source))
    listed += [Listed(s.name, "", s.needs_truth, s.summary, s.source) for s in STATIC.values()]
    listed.append(Listed(MORE_THAN, "m=0", False, _what(more_than.__doc__ or ""), SOURCE))
    return [*listed, *(_stops(name, build) for name, build in CONFIDENCE.items())]


def _stops(name: str, build: Callable[..., ConfidencePolicy]) -> Listed:
    """Return a policy that stops by itself."""
    parameters = ",".join(f"{p.name}={p.default}" for p in inspect.signature(build).parameters.values())
    what = _what((build.__doc__ or "").splitlines()[0])
    return Listed(name, parameters, False, f"With --confidence: {what[:1].lower()}{what[1:]}", build().source)


def _what(line: str) -> str:
    summary = line.removeprefix("Return ")
    return summary[:1].upper() + summary[1:]
