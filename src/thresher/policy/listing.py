"""All policies in a list, for commands and pages."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from thresher.index.registry import INDICES
from thresher.policy.confidence import CONFIDENCE, ConfidencePolicy
from thresher.policy.coupled import COUPLED, SOURCES
from thresher.policy.field import FIELD
from thresher.policy.static import STATIC

DEFAULT = "stopping"


@dataclass(frozen=True)
class Listed:
    """One policy: name, parameters with defaults, what it must be told, what it does, where it comes from."""

    name: str
    parameters: str
    needs_truth: bool
    summary: str
    source: str
    needs_horizon: bool = False

    @property
    def needs(self) -> str:
        """What it must be told, in words: the truth, the horizon, both or nothing."""
        told = (("the truth", self.needs_truth), ("the horizon", self.needs_horizon))
        return " and ".join(word for word, is_needed in told if is_needed)


def list_policies() -> list[Listed]:
    """Return every policy, indices first."""
    listed = []
    for index in INDICES.values():
        has_parameter = index.parameter is not None and not index.needs_gaps
        parameters = f"{index.parameter}={index.default:g}" if has_parameter else ""
        listed.append(Listed(index.name, parameters, index.needs_gaps, what(index.summary), index.source))
    listed += [Listed(s.name, "", s.needs_truth, s.summary, s.source) for s in STATIC.values()]
    for name, make in COUPLED.items():
        summary = what((make.__doc__ or "").splitlines()[0])
        listed.append(Listed(name, defaults_of(make), False, summary, SOURCES[name]))
    for algorithm in FIELD.values():
        parameters = ",".join(f"{each.name}={each.default:.4g}" for each in algorithm.parameters)
        summary = what(algorithm.summary)
        flags = {"needs_truth": algorithm.needs_truth, "needs_horizon": algorithm.needs_horizon}
        listed.append(Listed(algorithm.name, parameters, summary=summary, source=algorithm.source, **flags))
    return [*listed, *(_stops(name, build) for name, build in CONFIDENCE.items())]


def _stops(name: str, build: Callable[..., ConfidencePolicy]) -> Listed:
    """Return a policy that stops by itself."""
    said = what((build.__doc__ or "").splitlines()[0])
    summary = f"With --confidence: {said[:1].lower()}{said[1:]}"
    return Listed(name, defaults_of(build), False, summary=summary, source=build().source)


def defaults_of(build: Callable[..., object]) -> str:
    """Return the parameters that a policy takes, with their defaults."""
    defaults = ((p.name, p.default) for p in inspect.signature(build).parameters.values())
    return ",".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in defaults)


def what(line: str) -> str:
    """Return the first line of a docstring as a list shows it, without its "Return"."""
    summary = _plain(line.removeprefix("Return "))
    return summary[:1].upper() + summary[1:]


def _plain(text: str) -> str:
    r"""Return a line of a docstring for a terminal: a formula such as ``:math:`\hat\mu - \theta``` in letters."""
    bare = re.sub(r":math:`([^`]*)`", r"\1", text)
    hats = re.sub(r"\\hat\s*(\\?\w+)", "\\1\u0302", bare)
    return re.sub(r"\\([a-z]+)", _letter, hats)


def _letter(found: re.Match[str]) -> str:
    try:
        return unicodedata.lookup(f"GREEK SMALL LETTER {found[1]}")
    except KeyError:  # a function, such as the logarithm
        return found[1]
