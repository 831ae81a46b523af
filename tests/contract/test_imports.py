"""Imports in every storage and behind a service: one transaction, planned again if another one comes first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import MemoryPlace, StoragePlace
from tests.support.service_place import service_place
from thresher.campaign import Campaign, ImportOptions
from thresher.campaign.http import HttpBackend
from thresher.errors import ImportConflictError, ImportOvertakenError, InvalidOutcomeError
from thresher.run.importers import read_log, tell_log

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))
REPLACE = ImportOptions(replace=True)


@pytest.fixture(params=["memory", "sqlite", POSTGRES, "service"])
def place(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A place for campaigns in each kind of storage, or behind a service."""
    if request.param == "service":
        with service_place(MemoryPlace()) as behind:
            yield behind
        return
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    yield found


def bring(campaign: Campaign, path: Path, lines: list[str], options: ImportOptions | None = None) -> tuple[int, int]:
    path.write_text("\n".join(["arm,outcome,run", *lines]) + "\n")
    done = tell_log(campaign, read_log(path)[0], options=options)
    return done.told, done.voided


def sums(campaign: Campaign) -> list[tuple[int, float]]:
    return [(row.pulls, round((row.raw_mean or 0) * row.pulls, 9)) for row in campaign.verdicts()]


def test_a_part_of_an_aggregate_is_voided_and_the_rest_counts(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpBackend, "lines_in_an_import", 3)  # over HTTP in parts
    campaign = place.create("c", arms=["a", "b"], threshold=0.3, budget=100, family="gaussian", sigma=1.0)
    path = tmp_path / "runs.csv"
    lines = [f"{'ab'[i % 2]},{0.1 * i:.1f},{i % 3}" for i in range(12)]
    assert bring(campaign, path, lines) == (12, 0)
    whole = sums(campaign)
    assert bring(campaign, path, lines[4:], REPLACE) == (0, 4)
    assert sums(campaign) == [(4, 2.8), (4, 3.2)]
    assert bring(campaign, path, lines[::-1]) == (4, 0)
    assert sums(campaign) == whole
    assert bring(campaign, path, ["a,5,0"], REPLACE) == (1, 12)
    assert sums(campaign) == [(1, 5.0), (0, 0.0)]
    campaign.verify()


def test_outcomes_of_items_are_voided_and_replaced_and_those_of_tickets_stay(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpBackend, "lines_in_an_import", 3)
    campaign = place.create("c", arms=["a", "b"], items=[str(i) for i in range(8)], threshold=0.5, budget=16)
    ticket = campaign.ask()
    assert ticket is not None
    path = tmp_path / "answers.csv"

    def told(lines: list[str], options: ImportOptions | None = None) -> tuple[int, int, int]:
        path.write_text("\n".join(["arm,outcome,item", *lines]) + "\n")
        done = tell_log(campaign, read_log(path)[0], options=options)
        return done.told, done.missing, done.voided

    pairs = [(arm, str(i)) for arm in "ab" for i in range(8) if (arm, str(i)) != (ticket.arm, ticket.item)]
    lines = [f"{arm},{int(item) % 2},{item}" for arm, item in pairs]
    with pytest.raises(InvalidOutcomeError, match="is issued with ticket"):
        told([f"{ticket.arm},1,{ticket.item}"])
    assert told(lines) == (15, 0, 0)
    campaign.tell(ticket, 1)
    assert told([*lines, f"{ticket.arm},1,{ticket.item}"]) == (0, 0, 0)
    with pytest.raises(ImportConflictError, match="thresher amend"):
        told([*lines, f"{ticket.arm},0,{ticket.item}"], REPLACE)
    assert told(lines[3:]) == (0, 3, 0)
    flipped = [f"{arm},{1 - int(item) % 2},{item}" for arm, item in pairs[5:]]
    with pytest.raises(ImportConflictError, match="import it with --replace"):
        told(flipped)
    assert told(flipped, REPLACE) == (10, 15, 15)
    assert sum(n for n, _ in sums(campaign)) == 11
    assert sum(total for _, total in sums(campaign)) == 1 + sum(1 - int(item) % 2 for _, item in pairs[5:])
    assert told(flipped[:1], REPLACE) == (0, 9, 9)
    assert told(lines[:5]) == (5, 1, 0)
    assert sum(n for n, _ in sums(campaign)) == 7
    assert {row.item for row in campaign.items() if row.answers} >= {item for _, item in pairs[:5]}
    campaign.verify()


def test_an_import_that_was_overtaken_is_planned_again(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, other = place.create("c", arms=["a"], threshold=0.5, budget=9), place.open("c")
    path, lines = tmp_path / "runs.csv", ["a,1,1", "a,0,2"]
    backend = campaign._backend
    read = backend.imports

    def overtaken() -> Any:
        found = read()
        monkeypatch.setattr(backend, "imports", read)
        bring(other, path, lines)  # the same file, by another process
        return found

    monkeypatch.setattr(backend, "imports", overtaken)
    assert bring(campaign, path, lines) == (0, 0)
    assert sums(campaign) == [(2, 1.0)]
    log = read()
    monkeypatch.setattr(backend, "imports", lambda: log)
    bring(other, path, [*lines, "a,1,3"])
    with pytest.raises(ImportOvertakenError):
        bring(campaign, path, [*lines, "a,1,3"])
    assert sums(campaign) == [(3, 2.0)]
    campaign.verify()
