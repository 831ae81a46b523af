"""The families of outcomes, one file each. To add one, write its file and add it to :mod:`thresher.registries`.

A family is an object of a class derived from :class:`Family`, which says what each method is for.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.problem.families.family import Family
    from thresher.problem.families.likelihood import Likelihood
    from thresher.problem.families.registry import FAMILIES, family

import_lazily(__name__)

__all__ = ["FAMILIES", "Family", "Likelihood", "family"]
