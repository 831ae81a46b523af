"""thresher decides, for each of K arms, whether it passes a bar, with few mistakes on a budget of noisy measurements.

>>> import thresher as th
>>> result = th.simulate("linear", ["lsa", "stopping"], budgets=[500, 1000], runs=200, seed=1)
>>> result.compare("stopping", "lsa")[0].ratio < 1
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from thresher.moved import install

if TYPE_CHECKING:
    from thresher.campaign import AsyncCampaign, Campaign, Receipt, Standing, Ticket, Verdict, Verdicts
    from thresher.errors import AccessDeniedError as AccessDeniedError
    from thresher.errors import BudgetSpentError as BudgetSpentError
    from thresher.errors import CampaignArchivedError as CampaignArchivedError
    from thresher.errors import CampaignClosedError as CampaignClosedError
    from thresher.errors import CampaignError as CampaignError
    from thresher.errors import CampaignExistsError as CampaignExistsError
    from thresher.errors import ConflictingKeyError as ConflictingKeyError
    from thresher.errors import ConflictingOutcomeError as ConflictingOutcomeError
    from thresher.errors import CorruptionError as CorruptionError
    from thresher.errors import ExperimentError as ExperimentError
    from thresher.errors import ImportConflictError as ImportConflictError
    from thresher.errors import ImportOvertakenError as ImportOvertakenError
    from thresher.errors import InvalidIndexError as InvalidIndexError
    from thresher.errors import InvalidInputError as InvalidInputError
    from thresher.errors import InvalidOutcomeError as InvalidOutcomeError
    from thresher.errors import InvalidPolicyError as InvalidPolicyError
    from thresher.errors import LikelyCopyError as LikelyCopyError
    from thresher.errors import MissingExtraError as MissingExtraError
    from thresher.errors import NoOutcomeError as NoOutcomeError
    from thresher.errors import PolicyUnavailableError as PolicyUnavailableError
    from thresher.errors import SchemaVersionError as SchemaVersionError
    from thresher.errors import StorageError as StorageError
    from thresher.errors import StorageUnavailableError as StorageUnavailableError
    from thresher.errors import ThresherError as ThresherError
    from thresher.errors import UnknownCampaignError as UnknownCampaignError
    from thresher.errors import UnknownNameError as UnknownNameError
    from thresher.errors import UnknownTicketError as UnknownTicketError
    from thresher.policy import register_policy as register_policy
    from thresher.policy.index import register_index
    from thresher.problem import Problem as Problem
    from thresher.research.simulation import simulate

__version__ = "0.3.0"

install()

_ERRORS = (
    "AccessDeniedError",
    "BudgetSpentError",
    "CampaignArchivedError",
    "CampaignClosedError",
    "CampaignError",
    "CampaignExistsError",
    "ConflictingKeyError",
    "ConflictingOutcomeError",
    "CorruptionError",
    "ExperimentError",
    "ImportConflictError",
    "ImportOvertakenError",
    "InvalidIndexError",
    "InvalidInputError",
    "InvalidOutcomeError",
    "InvalidPolicyError",
    "LikelyCopyError",
    "MissingExtraError",
    "NoOutcomeError",
    "PolicyUnavailableError",
    "SchemaVersionError",
    "StorageError",
    "StorageUnavailableError",
    "ThresherError",
    "UnknownCampaignError",
    "UnknownNameError",
    "UnknownTicketError",
)
# Imported on first use, because Numba and SciPy are slow to import.
_HOMES = {
    "AsyncCampaign": "thresher.campaign",
    "Campaign": "thresher.campaign",
    "Problem": "thresher.problem",
    "Receipt": "thresher.campaign",
    "Standing": "thresher.campaign",
    "Ticket": "thresher.campaign",
    "Verdict": "thresher.campaign",
    "Verdicts": "thresher.campaign",
    "register_index": "thresher.policy.index",
    "register_policy": "thresher.policy",
    "simulate": "thresher.research.simulation",
    **dict.fromkeys(_ERRORS, "thresher.errors"),
}

__all__ = [
    "AccessDeniedError",
    "AsyncCampaign",
    "BudgetSpentError",
    "Campaign",
    "CampaignArchivedError",
    "CampaignClosedError",
    "CampaignError",
    "CampaignExistsError",
    "ConflictingKeyError",
    "ConflictingOutcomeError",
    "CorruptionError",
    "ExperimentError",
    "ImportConflictError",
    "ImportOvertakenError",
    "InvalidIndexError",
    "InvalidInputError",
    "InvalidOutcomeError",
    "InvalidPolicyError",
    "LikelyCopyError",
    "MissingExtraError",
    "NoOutcomeError",
    "PolicyUnavailableError",
    "Problem",
    "Receipt",
    "SchemaVersionError",
    "Standing",
    "StorageError",
    "StorageUnavailableError",
    "ThresherError",
    "Ticket",
    "UnknownCampaignError",
    "UnknownNameError",
    "UnknownTicketError",
    "Verdict",
    "Verdicts",
    "__version__",
    "register_index",
    "register_policy",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
