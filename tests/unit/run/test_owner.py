"""The process that asked for a ticket: only one that has certainly ended counts as dead."""

import subprocess
import sys
from dataclasses import replace

import pytest

from thresher.run import owner
from thresher.run.owner import Owner, owner_in, this_process

pytestmark = pytest.mark.skipif(this_process() is None, reason="needs /proc")


@pytest.fixture
def here() -> Owner:
    """This process."""
    found = this_process()
    assert found is not None
    return found


def test_a_key_names_its_process(here: Owner) -> None:
    assert owner_in(here.key()) == here
    assert here.key() != here.key()
    assert len(here.key()) <= 200


@pytest.mark.parametrize("key", ["", "run", "run 0 0 0 0", f"run {'a' * 16} 0 1 {'b' * 32}", "first a"])
def test_another_key_names_none(key: str) -> None:
    assert owner_in(key) is None


def test_a_live_process_has_not_ended(here: Owner) -> None:
    assert not here.has_ended()


def test_a_process_of_another_machine_may_be_alive(here: Owner) -> None:
    assert not replace(here, place="0" * 16, pid=2**22 + 1).has_ended()


def test_a_number_that_another_process_has_now_is_not_the_process(here: Owner) -> None:
    assert replace(here, start=here.start + 1).has_ended()


def test_a_killed_process_has_ended_before_and_after_its_parent_takes_note(here: Owner) -> None:
    code = "from thresher.run.owner import this_process; print(this_process().key(), flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdin is not None
    found = owner_in(child.stdout.readline().strip())
    assert found is not None
    assert (found.place, found.pid) == (here.place, child.pid)
    assert not found.has_ended()
    child.kill()
    child.stdout.read()  # until the end of the process closes it: it is a zombie now, or will be
    while not found.has_ended():
        assert child.returncode is None
    child.communicate()
    assert found.has_ended()


def test_without_proc_there_is_no_owner_and_nothing_has_ended(here: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "PROC", owner.PROC / "nothing")
    assert this_process() is None
    assert not replace(here, start=here.start + 1).has_ended()
