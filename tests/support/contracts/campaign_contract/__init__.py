"""The contract tests of campaigns: subclass :class:`CampaignContract` and provide the fixture ``place``."""

from __future__ import annotations

import pytest

from tests.support.contracts.campaign_contract.budget import BudgetContract
from tests.support.contracts.campaign_contract.control import ControlContract
from tests.support.contracts.campaign_contract.corrections import CorrectionContract
from tests.support.contracts.campaign_contract.exactly_once import ExactlyOnceContract
from tests.support.contracts.campaign_contract.items import ItemContract
from tests.support.contracts.campaign_contract.leases import LeaseContract
from tests.support.contracts.campaign_contract.log import LogContract
from tests.support.contracts.campaign_contract.place import Place, make, statistics, take
from tests.support.contracts.campaign_contract.status import StatusContract
from tests.support.contracts.campaign_contract.wrong_input import WrongInputContract


class _Placed:
    @pytest.fixture
    def place(self) -> Place:
        """Return the place of the campaigns under test."""
        raise NotImplementedError


class CoreContract(BudgetContract, LeaseContract, ExactlyOnceContract, StatusContract, LogContract, _Placed):
    """What every place is tested for by day: budget, leases, exactly once, status and log."""


class OtherContract(WrongInputContract, CorrectionContract, ItemContract, ControlContract, _Placed):
    """What is decided before a place is reached: by day SQLite and PostgreSQL are enough."""


class CampaignContract(CoreContract, OtherContract):
    """All contract tests; a subclass provides the fixture ``place``."""


__all__ = ["CampaignContract", "CoreContract", "OtherContract", "Place", "make", "statistics", "take"]
