"""A disk that is full, fails or loses power: what was acknowledged is there, and the file opens afterwards."""

import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.chaos.account import Account, Findings
from tests.support.chaos.disk import FAULTS, after_power_cut, read_trace, reports_in
from tests.support.chaos.nursery import Nursery, Report
from tests.support.chaos.workers import begin
from thresher.campaign import Campaign
from thresher.errors import StorageUnavailableError

PAIRS = 40  # of them, a checkpoint comes after some ten: the log begins almost full
ON_DISK = "tests.support.chaos.disk:work_on_disk"
ON_FULL_DISK = "tests.support.chaos.workers:work_on_full_disk"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> tuple[Path, list[Report]]:
    """A campaign whose process was killed when its log was almost full, and what it had acknowledged."""
    folder = tmp_path_factory.mktemp("begun")
    begin(f"sqlite:///{folder}/c.db").disconnect()
    worker = nursery.start("tests.support.chaos.workers:work", f"sqlite:///{folder}/c.db", "c", "first")
    while not (folder / "c.db-wal").is_file() or (folder / "c.db-wal").stat().st_size < 900 * 4120:
        worker.wait_for("told", times=1 + sum("told" in report for report in worker.reports))
    return folder, worker.kill()


def copy_of(begun: tuple[Path, list[Report]], folder: Path) -> tuple[Path, Account]:
    """Return a copy of the file and its log, and what is in it."""
    for name in ("c.db", "c.db-wal"):
        shutil.copy(begun[0] / name, folder / name)
    account = Account()
    account.take(begun[1])
    return folder / "c.db", account


def findings_of(path: Path, account: Account) -> Findings:
    """Return what a fresh opening of the file finds; it verifies."""
    campaign = Campaign.open(f"sqlite:///{path}", "c")
    findings = account.compare(campaign, is_complete=False)
    campaign.disconnect()
    return findings


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_is_acknowledged_that_a_failing_disk_does_not_hold(
    fault: str,
    begun: tuple[Path, list[Report]],
    failing_nursery: Nursery,
    tmp_path: Path,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    rounds, failed, told = often(4, 100), 0, 0
    for i in range(rounds):
        folder = tmp_path / str(i)
        folder.mkdir()
        path, account = copy_of(begun, folder)
        nth = rng.randint(1, 60 if FAULTS[fault]["kinds"] == 2 else 700)
        worker = failing_nursery.start(ON_DISK, str(path), pairs=PAIRS, nth=nth, **FAULTS[fault])
        reports = worker.join()
        failed += any("failed" in report for report in reports)
        assert FAULTS[fault].get("for_good") or "end" in reports[-1], reports[-3:]
        account.take(reports)
        findings = findings_of(path, account)
        assert (findings.lost, findings.doubled) == (0, 0), nth
        told += sum("told" in report for report in reports)
        shutil.rmtree(folder)
    figure("disk fails", f"sqlite: {fault}, {rounds} times: {failed} calls failed, {told} acknowledged, 0 lost")
    assert failed


def test_what_was_acknowledged_outlives_a_power_cut(
    begun: tuple[Path, list[Report]],
    failing_nursery: Nursery,
    tmp_path: Path,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    path, account = copy_of(begun, tmp_path)
    files = {False: path.read_bytes(), True: Path(f"{path}-wal").read_bytes()}
    failing_nursery.start(ON_DISK, str(path), pairs=PAIRS, trace=str(tmp_path / "trace")).wait_for("end")
    records, cuts = read_trace(tmp_path / "trace"), often(20, 500)
    assert {record.kind for record in records} >= {1, 2, 8}
    assert not all(record.is_log for record in records if record.kind == 1)  # the checkpoint is in it
    for i in range(cuts):
        folder = tmp_path / str(i)
        folder.mkdir()
        until = records[: rng.randint(1, len(records))]
        left = after_power_cut(files, until, rng)
        (folder / "c.db").write_bytes(left[False])
        (folder / "c.db-wal").write_bytes(left[True])
        known = Account(set(account.asked), set(account.told))
        known.take(reports_in(until))
        findings = findings_of(folder / "c.db", known)
        assert (findings.lost, findings.doubled) == (0, 0), len(until)
        shutil.rmtree(folder)
    figure("power cut", f"sqlite: {cuts} cuts at any write, unsynced sectors kept by chance: 0 lost")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("only root may mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)  # a test that failed may still hold it


def test_a_full_disk_is_a_clear_error_and_room_heals_it(
    small_disk: Path, nursery: Nursery, figure: Callable[[str, str], None]
) -> None:
    begin(f"sqlite:///{small_disk}/c.db").disconnect()
    worker = nursery.start("tests.support.chaos.workers:work_on_full_disk", f"sqlite:///{small_disk}/c.db", pairs=400)
    failure = worker.wait_for("failed")
    assert failure["kind"] == StorageUnavailableError.__name__
    assert "make room on the disk" in failure["failed"]
    stopped = Account()
    stopped.take(worker.reports)
    assert findings_of(small_disk / "c.db", stopped).lost == 0  # it opens and verifies while there is no room
    subprocess.run(["mount", "-o", "remount,size=20m", small_disk], check=True)
    account = Account()
    worker.wait_for("end")
    account.take(worker.join())
    findings = findings_of(small_disk / "c.db", account)
    assert (findings.lost, findings.doubled, findings.told) == (0, 0, 400)
    figure("disk full", f"sqlite: 1 MB file system full after {len(stopped.told)} outcomes, {findings}")


def test_a_file_at_its_largest_is_a_clear_error_and_room_heals_it(tmp_path: Path, nursery: Nursery) -> None:
    begin(f"sqlite:///{tmp_path}/c.db").disconnect()
    worker = nursery.start(ON_FULL_DISK, f"sqlite:///{tmp_path}/c.db", pairs=60, largest_file=600_000)
    assert worker.wait_for("failed")["kind"] == StorageUnavailableError.__name__
    worker.wait_for("end")
    account = Account()
    account.take(worker.join())
    findings = findings_of(tmp_path / "c.db", account)
    assert (findings.lost, findings.doubled, findings.told) == (0, 0, 60)


@pytest.mark.parametrize("read_only", ["file", "folder", "both"])
def test_what_may_not_be_written_is_a_clear_error_and_stays_as_it_is(read_only: str, nursery: Nursery) -> None:
    folder = Path(tempfile.mkdtemp())  # not one of pytest, which only its owner may enter
    path = folder / "c.db"
    campaign = begin(f"sqlite:///{path}")
    campaign.tell(campaign.ask(1)[0], 0.5)
    campaign.disconnect()
    before = path.read_bytes()
    path.chmod(0o444 if read_only != "folder" else 0o666)
    folder.chmod(0o555 if read_only != "file" else 0o777)
    worker = nursery.start("tests.support.chaos.workers:work_without_rights", f"sqlite:///{path}")
    assert worker.wait_for("failed")["kind"] == StorageUnavailableError.__name__
    assert not any("asked" in report for report in worker.join())
    folder.chmod(0o700)
    path.chmod(0o600)
    assert path.read_bytes() == before
    findings_of(path, Account())
    shutil.rmtree(folder)
