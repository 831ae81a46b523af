"""Past arms and scores behind a service: the same as in a database."""

from collections.abc import Sequence

import pytest

from tests.support.places import MemoryPlace
from tests.support.service_place import service_place
from thresher.campaign.http import HttpBackend
from thresher.campaign.ledger import PastArm
from thresher.errors import InvalidInputError, UnknownNameError

ITEMS = [f"q{i}" for i in range(30)]
TRUTH = {"a": [i % 3 > 0 for i in range(30)], "b": [i % 3 == 0 for i in range(30)]}
PAST = {f"old {h}": {item: int((i + h) % 3 > 0) for i, item in enumerate(ITEMS)} for h in range(4)}
JUDGE = {arm: {item: float(row[i]) for i, item in enumerate(ITEMS)} for arm, row in TRUTH.items()}


def test_a_service_stores_and_uses_history_and_scores() -> None:
    behind, given = MemoryPlace(), {"arms": ["a", "b"], "items": ITEMS, "threshold": 0.5, "budget": 30}
    outcomes = [(arm, ITEMS[i], int(TRUTH[arm][i])) for arm in TRUTH for i in range(0, 30, 3)]
    outcomes += [("a", ITEMS[1], 1), ("b", ITEMS[2], 0)]
    direct = behind.create("direct", **given, history=PAST, proxy=JUDGE)
    direct.tell_items(outcomes)
    with service_place(behind) as place:
        served = place.create("served", **given, history=PAST, proxy={"a": JUDGE["a"]})
        served.tell_items(outcomes)
        served.tell_proxy("b", JUDGE["b"])
        events = served.standing.events
        served.tell_proxy("b", JUDGE["b"])
        assert served.standing.events == events
        with pytest.raises(UnknownNameError):
            served.tell_proxy("c", {"q1": 1.0})
        for one, other in zip(direct.verdicts(), served.verdicts(), strict=True):
            assert (one.mean, one.p_wrong) == pytest.approx((other.mean, other.p_wrong))
        assert served.judge_agreement() == direct.judge_agreement()
        served.verify()
        with pytest.raises(InvalidInputError, match="items"):
            place.create("no items", arms=["a"], threshold=0.5, budget=5, proxy=JUDGE)
    direct.verify()


def test_a_history_that_was_told_in_part_is_completed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = HttpBackend.tell_history

    def killed(backend: HttpBackend, past: Sequence[PastArm]) -> None:
        whole(backend, past[:1])
        raise KeyboardInterrupt

    behind, given = MemoryPlace(), {"arms": ["a", "b"], "items": ITEMS, "threshold": 0.5, "budget": 30}
    direct = behind.create("direct", **given, history=PAST)
    with service_place(behind) as place:
        monkeypatch.setattr(HttpBackend, "tell_history", killed)
        with pytest.raises(KeyboardInterrupt):
            place.create("served", **given, history=PAST)
        monkeypatch.setattr(HttpBackend, "tell_history", whole)
        served = place.open("served")
        for _ in range(2):
            served.tell_history(PAST)
        for campaign in (direct, served):
            campaign.tell_items([("a", item, int(TRUTH["a"][i])) for i, item in enumerate(ITEMS[:12])])
        told = [arm for entry in served.history() if entry.kind == "history-told" for arm, _ in entry.details["arms"]]
        assert told == list(PAST)
        for one, other in zip(direct.verdicts(), served.verdicts(), strict=True):
            assert (one.mean, one.p_wrong) == pytest.approx((other.mean, other.p_wrong))
        served.verify()
