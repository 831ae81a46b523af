"""The table of processor times counts a test and the processes that it has waited for."""

from types import SimpleNamespace

from tests.support.cpu_time import CpuTime


class Terminal:
    """Keeps what is printed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def section(self, title: str) -> None: ...

    def write_line(self, line: str) -> None:
        self.lines.append(line)


def test_files_are_summed_over_phases_and_tests_and_sorted() -> None:
    found, terminal = CpuTime(), Terminal()
    for nodeid, seconds in (("a.py::x", 1.0), ("b.py::y[1]", 2.5), ("b.py::y[2]@group", 0.5), ("a.py::x", 0.25)):
        found.pytest_runtest_logreport(SimpleNamespace(nodeid=nodeid, cpu_time=seconds))
    found.pytest_terminal_summary(terminal)  # type: ignore[arg-type]
    assert terminal.lines == ["     3.0  b.py", "     1.2  a.py", "     4.2  all"]
