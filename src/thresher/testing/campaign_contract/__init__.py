"""What every campaign promises, wherever it lives: subclass :class:`CampaignContract` and give it a place."""

from __future__ import annotations

import pytest

from thresher.testing.campaign_contract.budget import Budget
from thresher.testing.campaign_contract.corrections import Corrections
from thresher.testing.campaign_contract.exactly_once import ExactlyOnce
from thresher.testing.campaign_contract.leases import Leases
from thresher.testing.campaign_contract.log import Log
from thresher.testing.campaign_contract.place import Place, make, statistics, take
from thresher.testing.campaign_contract.status import Status
from thresher.testing.campaign_contract.wrong_input import WrongInput


class CampaignContract(Budget, Leases, ExactlyOnce, WrongInput, Corrections, Status, Log):
    """All promises; a subclass provides the fixture ``place``."""

    @pytest.fixture
    def place(self) -> Place:
        """Where the campaigns live."""
        raise NotImplementedError


__all__ = ["CampaignContract", "Place", "make", "statistics", "take"]
