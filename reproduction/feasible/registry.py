"""The policies for several coordinates by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reproduction.feasible.md_apt import md_apt
from reproduction.feasible.md_sar import md_sar
from reproduction.feasible.md_ucbe import md_ucbe
from reproduction.feasible.policy import FeasiblePolicy
from reproduction.feasible.uniform import uniform
from thresher.errors import UnknownNameError
from thresher.problem import bind, parse_spec

FEASIBLE: dict[str, Callable[..., FeasiblePolicy]] = {
    "md-apt": md_apt,
    "md-sar": md_sar,
    "md-ucbe": md_ucbe,
    "uniform": uniform,
}


def find_feasible_policy(text: str | FeasiblePolicy) -> FeasiblePolicy:
    """Return the policy of a name such as ``md-apt`` or ``md-ucbe:scale=10,horizon=2000``.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter; the message suggests the nearest.
    InvalidInputError
        If a parameter cannot be read.
    """
    if not isinstance(text, str):
        return text
    spec = parse_spec(text)
    if spec.name not in FEASIBLE:
        raise UnknownNameError("policy for several coordinates", spec.name, FEASIBLE)
    build = FEASIBLE[spec.name]
    return replace(build(**bind(build, spec)), name=text)
