"""Arms in a text that was typed or uploaded, with the errors of each line."""

from __future__ import annotations

from thresher.campaign import arm_rows
from thresher.campaign.ledger import Terms
from thresher.errors import ThresherError
from thresher.problem import MOST_FAULTS, ArmsTable, read_table


class Upload:
    """The arms in a text: with a first row ``arm,threshold,…``, or one name a line.

    Attributes
    ----------
    table : ArmsTable
    complaints : list of (int, str)
        What is wrong, by line.
    """

    def __init__(self, text: str) -> None:
        self.table: ArmsTable = read_table(text)
        self.complaints = [(fault.line, str(fault)) for fault in self.table.faults]

    def check_numbers(self, terms: Terms, *, threshold: float | None, sigma: float | None = None) -> None:
        """Add the errors of numbers that do not fit these terms, with a bar and a σ for blank cells."""
        for_all = {"thresholds": threshold, "sigma": sigma}
        try:
            arm_rows(terms, self.table, **for_all)
            return
        except ThresherError as error:
            of_all = str(error)
        for i, line in enumerate(self.table.lines):
            one = ArmsTable({head: [cells[i]] for head, cells in self.table.columns.items()}, [line])
            try:
                arm_rows(terms, one, **for_all)
            except ThresherError as error:
                self.complaints.append((line, str(error).removeprefix(f"line {line}, ")))
            if len(self.complaints) == MOST_FAULTS:
                return
        if not self.complaints:
            self.complaints.append((1, of_all))
