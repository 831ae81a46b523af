"""Every error that thresher raises on purpose.

::

    ThresherError
    ├── InvalidProblemError (ValueError)     a number or a file that no problem can hold
    ├── UnknownNameError (LookupError)       a policy, problem or parameter that does not exist
    ├── InvalidIndexError (ValueError)       an index that breaks the paper's Assumption 1
    ├── MissingExtraError (ImportError)      a feature whose optional packages are not installed
    └── ExperimentError                      a grid that cannot run, or results of another grid

The constructor takes the facts and writes the message: what was found, and what would do.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class ThresherError(Exception):
    """The root of the tree: catch this to catch every error of ours."""


class InvalidProblemError(ThresherError, ValueError):
    """A number, an array or a file that no problem can hold."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


class UnknownNameError(ThresherError, LookupError):
    """A name that nothing answers to; the message suggests the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = get_close_matches(name, self.known, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {', '.join(self.known) or 'none'}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")


class InvalidIndexError(ThresherError, ValueError):
    """An index that is not non-decreasing and unbounded (Assumption 1 of the paper); shows a counter-example."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"index {name!r} breaks Assumption 1 of the paper: {what}")


class MissingExtraError(ThresherError, ImportError):
    """A feature whose optional packages are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs packages that are not installed; type: pip install 'thresher-bandits[{extra}]'"
        )


class ExperimentError(ThresherError):
    """A grid of runs that cannot be started, or stored results that belong to another one."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


__all__ = [
    "ExperimentError",
    "InvalidIndexError",
    "InvalidProblemError",
    "MissingExtraError",
    "ThresherError",
    "UnknownNameError",
]
