"""The guarantees by name."""

from __future__ import annotations

from thresher import registries
from thresher.inference.guarantees.guarantee import Guarantee

RULES: dict[str, Guarantee] = registries.instances(registries.GUARANTEES)
GUARANTEES = tuple(RULES)
