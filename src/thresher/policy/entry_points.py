"""Policies of installed packages: the entry points ``thresher.policies``.

An entry point names a module, which registers its policies and indices when it is imported, or a policy itself: what
:func:`~thresher.policy.register_policy` takes. They are loaded when a name is not known, and when policies are listed.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType

from thresher.errors import ThresherError
from thresher.policy.own import OWN, register_policy

GROUP = "thresher.policies"


@cache
def load_policies() -> None:
    """Load every entry point, once; warn about one that cannot be loaded."""
    for entry in entry_points(group=GROUP):
        try:
            found = entry.load()
            if not isinstance(found, ModuleType) and entry.name not in OWN:
                register_policy(entry.name)(found)
        except (ImportError, AttributeError, ThresherError) as error:
            warnings.warn(f"the policy {entry.name!r} of {entry.value} cannot be loaded: {error}", stacklevel=2)
