from thresher.research.papers.grid import ALL, BUDGETS, CONSTANT, PAPER, Experiment, Grid

SMALL = Experiment("small", "linear:K=5", ("apt", "lsa"), (10.0, 20.0), runs=3)


def test_an_experiment_is_simulated_once() -> None:
    grid = Grid(runs=4, seed=1)
    assert grid.result(SMALL) is grid.result(SMALL)


def test_an_experiment_may_want_more_runs_than_the_grid() -> None:
    result = Grid(runs=4, seed=1).result(SMALL)
    assert result.runs == 12
    assert result.seed == 1


def test_the_mean_is_that_of_the_runs() -> None:
    grid = Grid(runs=4)
    assert grid.mean(SMALL, "lsa", 20.0) == grid.result(SMALL).losses("lsa")[:, 1].mean()


def test_progress_goes_from_0_to_1() -> None:
    seen: list[float] = []
    Grid(runs=4, progress=seen.append).result(SMALL)
    assert seen[-1] == 1.0
    assert seen == sorted(seen)


def test_the_fwt_of_the_paper_is_its_smooth_form() -> None:
    assert PAPER == ("apt", "lsa", "fwt-sqrt")
    assert {"fwt", "stopping"} <= set(ALL)


def test_budgets_pay_for_every_arm() -> None:
    assert BUDGETS[0] >= 50
    assert CONSTANT.budgets[0] >= 100
