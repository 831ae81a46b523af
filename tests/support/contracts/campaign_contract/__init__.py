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


class CampaignContract(
    BudgetContract,
    LeaseContract,
    ExactlyOnceContract,
    WrongInputContract,
    CorrectionContract,
    StatusContract,
    LogContract,
    ItemContract,
    ControlContract,
):
    """All contract tests; a subclass provides the fixture ``place``."""

    @pytest.fixture
    def place(self) -> Place:
        """Return the place of the campaigns under test."""
        raise NotImplementedError


__all__ = ["CampaignContract", "Place", "make", "statistics", "take"]
