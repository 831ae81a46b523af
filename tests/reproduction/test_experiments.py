from reproduction.experiments import FeasibleExperiment, StoppingExperiment
from thresher.research.papers import Grid


def test_an_experiment_of_policies_that_stop_is_simulated_once() -> None:
    grid, sure = Grid(runs=4, seed=1), StoppingExperiment("sure", "kano-2", ("hdoc",), 0.1)
    result = grid.result(sure)
    assert grid.result(sure) is result
    assert (result.runs, result.seed, result.asked.alpha) == (4, 1, 0.1)


def test_an_experiment_on_several_coordinates_is_simulated_once_with_its_multiple_of_the_runs() -> None:
    grid = Grid(runs=4, seed=1)
    experiment = FeasibleExperiment("katz-samuels-1", ("md-apt",), (60,), runs=2)
    result = grid.result(experiment)
    assert grid.result(experiment) is result
    assert (result.runs, result.seed, result.budgets) == (8, 1, (60,))
