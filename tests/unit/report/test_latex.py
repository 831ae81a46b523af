"""Tables in LaTeX."""

from thresher.report.latex import latex_table


def test_a_worked_table() -> None:
    assert latex_table(["policy", "mean"], [["fwt-sqrt_1", "12\u00a0%"], ["a & b\\\\", "0.5"]]) == (
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "policy & mean \\\\\n"
        "\\midrule\n"
        "fwt-sqrt\\_1 & 12~\\% \\\\\n"
        "a \\& b\\textbackslash{}\\textbackslash{} & 0.5 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )
