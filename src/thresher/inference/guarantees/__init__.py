"""The guarantees, one file each. To add one, write its file and add it to :mod:`thresher.registries`."""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.inference.decisions import GuaranteeCase
    from thresher.inference.guarantees.fdr import e_bh
    from thresher.inference.guarantees.guarantee import Guarantee
    from thresher.inference.guarantees.registry import GUARANTEES, RULES

import_lazily(__name__)

__all__ = ["GUARANTEES", "RULES", "Guarantee", "GuaranteeCase", "e_bh"]
