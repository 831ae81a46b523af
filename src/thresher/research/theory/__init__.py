r"""Oracle, exact losses, bounds and limits: what is known without a simulation.

Every function is pure: it takes arrays of gaps and costs and a budget, and returns a number, an array or a frozen
record. A gap is :math:`|\mu - \theta|/\sqrt{2\sigma^2}`. Nothing here depends on policies or random numbers;
:func:`theory_of` takes the gaps from a problem. Upper bounds are in :mod:`thresher.research.theory.upper_bound`.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.research.theory.adaptive_limits import Limit, adaptive_limit, bernoulli_limit, family_limit
    from thresher.research.theory.bayes_limits import bayes_limit
    from thresher.research.theory.bernoulli import divergence, opposite_mean
    from thresher.research.theory.binary_limits import binary_limit
    from thresher.research.theory.boundary import Boundary, solve_boundary
    from thresher.research.theory.designer import Power, frank_wolfe, optimal_stopping, power
    from thresher.research.theory.error_rates import (
        bernoulli_error_rates,
        bernoulli_loss,
        gaussian_error_rates,
        gaussian_loss,
        two_point_error_rates,
    )
    from thresher.research.theory.exponents import (
        MeasuredExponents,
        conjectured_complexity,
        empirical_exponent,
        proved_exponents,
    )
    from thresher.research.theory.integer_limits import integer_limit
    from thresher.research.theory.lower_bounds import family_lower_bound, least_pulls, lower_bound
    from thresher.research.theory.oracle_allocation import Oracle, oracle
    from thresher.research.theory.overview import Theory, theory_of
    from thresher.research.theory.pool_limits import pool_limit_of
    from thresher.research.theory.population_limits import OWN_MEANS, population_limit
    from thresher.research.theory.rounding import whole_oracle, whole_static_optimum
    from thresher.research.theory.static_allocation import StaticOptimum, static_optimum
    from thresher.research.theory.toy import toy_adaptive_bound, toy_adaptive_loss, toy_printed_bound, toy_uniform_loss

import_lazily(__name__)

__all__ = [
    "OWN_MEANS",
    "Boundary",
    "Limit",
    "MeasuredExponents",
    "Oracle",
    "Power",
    "StaticOptimum",
    "Theory",
    "adaptive_limit",
    "bayes_limit",
    "bernoulli_error_rates",
    "bernoulli_limit",
    "bernoulli_loss",
    "binary_limit",
    "conjectured_complexity",
    "divergence",
    "empirical_exponent",
    "family_limit",
    "family_lower_bound",
    "frank_wolfe",
    "gaussian_error_rates",
    "gaussian_loss",
    "integer_limit",
    "least_pulls",
    "lower_bound",
    "opposite_mean",
    "optimal_stopping",
    "oracle",
    "pool_limit_of",
    "population_limit",
    "power",
    "proved_exponents",
    "solve_boundary",
    "static_optimum",
    "theory_of",
    "toy_adaptive_bound",
    "toy_adaptive_loss",
    "toy_printed_bound",
    "toy_uniform_loss",
    "two_point_error_rates",
    "whole_oracle",
    "whole_static_optimum",
]
