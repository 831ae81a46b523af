"""All policies in a list, for commands and pages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from thresher.policy.entry_points import load_policies
from thresher.policy.index import INDICES
from thresher.policy.own import OWN, OWN_TRAITS, defaults_of, summary_of
from thresher.policy.policy import Traits
from thresher.policy.registry import ALGORITHMS, find_index_policy

DEFAULT = "stopping"


@dataclass(frozen=True)
class Listed:
    """One policy: name, parameters with defaults, what it needs and can do, what it does, where it comes from."""

    name: str
    parameters: str
    traits: Traits
    summary: str
    source: str


def list_policies() -> list[Listed]:
    """Return every policy, indices first; those of installed packages too."""
    load_policies()
    listed = []
    for index in INDICES.values():
        has_parameter = index.parameter is not None and not index.needs_gaps
        parameters = f"{index.parameter}={index.default:g}" if has_parameter else ""
        traits = find_index_policy(index.name).traits
        listed.append(Listed(index.name, parameters, traits, what(index.summary), index.source))
    for algorithm in ALGORITHMS.values():
        parameters = ",".join(parameter.shown for parameter in algorithm.parameters)
        said = what(algorithm.summary)
        summary = f"With --alpha: {said[:1].lower()}{said[1:]}" if algorithm.traits.stops else said
        listed.append(Listed(algorithm.name, parameters, algorithm.traits, summary, algorithm.source))
    for name, own in OWN.items():
        parameters = (
            ",".join(f"{key}={value}" for key, value in defaults_of(own).items()) if isinstance(own, type) else ""
        )
        listed.append(Listed(name, parameters, OWN_TRAITS, what(summary_of(own)), "the user's own"))
    return listed


def what(line: str) -> str:
    """Return the first line of a docstring as a list shows it, without its "Return"."""
    summary = _plain(line.removeprefix("Return "))
    return summary[:1].upper() + summary[1:]


def _plain(text: str) -> str:
    r"""Return a line of a docstring for a terminal; formulas such as ``:math:`\hat\mu - \theta``` become text."""
    bare = re.sub(r":math:`([^`]*)`", r"\1", text)
    hats = re.sub(r"\\hat\s*(\\?\w+)", "\\1\u0302", bare)
    return re.sub(r"\\([a-z]+)", _letter, hats)


def _letter(found: re.Match[str]) -> str:
    try:
        return unicodedata.lookup(f"GREEK SMALL LETTER {found[1]}")
    except KeyError:  # a function, such as the logarithm
        return found[1]
