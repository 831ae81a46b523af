"""The guarantees, one file each. To add one, write its file and add it to :mod:`thresher.registries`."""

from thresher import registries
from thresher.policy.guarantees.fdr import e_bh
from thresher.policy.guarantees.guarantee import Guarantee, GuaranteeCase

RULES: dict[str, Guarantee] = registries.instances(registries.GUARANTEES)
GUARANTEES = tuple(RULES)

__all__ = ["GUARANTEES", "RULES", "Guarantee", "GuaranteeCase", "e_bh"]
