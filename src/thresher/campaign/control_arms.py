"""The arms of a campaign with a control, kept in memory as of an event: an ask reads only what changed since."""

from __future__ import annotations

import threading

from thresher.campaign.ledger import CampaignState, ControlRanking, Machine


class ArmsWithControl:
    """All arms of one campaign, as this process last read them.

    Only what is committed is kept here: an ask reads the arms that later events have changed, those of this process
    included.

    Attributes
    ----------
    seq : int
        Number of the event after which they were read; 0 before.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._lock = threading.Lock()
        self._comparison: ControlRanking | None = None
        self.seq = 0

    def complete(self, state: CampaignState) -> CampaignState:
        """Return a state with all arms and their control; it has those changed after :attr:`seq`, or all arms."""
        with self._lock:
            self._read(state)
            state.comparison = self._comparison
        return state

    def with_least(self, state: CampaignState, *, reissue: bool) -> CampaignState:
        """Return a state as for :meth:`complete` with the arm to ask next, if the budget can pay one.

        With `reissue` the cost of expired pulls goes back to the budget.
        """
        with self._lock:
            self._read(state)
            assert self._comparison is not None
            least = self._comparison.least(state.left_after_expiry(reissue=reissue))
        if least is not None:
            state.add_arms([least])
            state.least = (least.position,)
        return state

    def _read(self, state: CampaignState) -> None:
        """Take the arms of a state, unless a later one was read before."""
        ledger = state.ledger
        if ledger.seq < self.seq:
            return
        if self._comparison is None or len(state.arms) == ledger.arms:
            arms = [state.arms[k] for k in range(ledger.arms)]
            self._comparison = self._machine.sort_keys.compare(arms, ledger)
        else:
            self._comparison.update(state.arms.values())
        self.seq = ledger.seq
