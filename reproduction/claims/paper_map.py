"""Every numbered item of the paper, with the function, the test and the figure that belong to it.

The rows are the first part of the claims page. A test checks that each function, test, figure, claim and erratum
exists, that no item is missing, and that every claim and every erratum of the paper has a row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """An item of the paper and what corresponds to it.

    Parameters
    ----------
    name : str
        Its name and number in the paper, such as ``Theorem 1``; a name without a number for an unnumbered part.
    place : str
        Its place in the paper.
    states : str
        What it states, in short.
    code : tuple of str
        Dotted names of the functions and classes that implement it.
    tests : tuple of str
        Test functions that check it, as ``path::function`` below ``tests/``.
    claims : tuple of str
        Names of the claims about it, see :data:`reproduction.claims.CLAIMS`.
    errata : tuple of str
        Anchors of its entries on the errata page.
    """

    name: str
    place: str
    states: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    claims: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()


_THEORY = "unit/research/theory/"
_BOUNDS = "unit/research/theory/upper_bound/"
_STEPS = "reproduction/test_proof_steps.py::"
_FIGURES = "papers/test_figures.py::"

SETTING = (
    Item(
        "Section 1",
        "section 1",
        "exponents of uniform sampling, of the oracle and of LSA as first published",
        ("thresher.research.theory.proved_exponents", "thresher.research.theory.upper_bound.tao"),
        (_THEORY + "test_exponents.py::test_the_proved_exponents_of_a_worked_case",),
        ("uniform-decay", "oracle-exponent", "factor-4005", "factor-8", "within-factor-4"),
    ),
    Item(
        "Section 2",
        "section 2",
        "sub-Gaussian arms, thresholds, costs and normalised gaps",
        ("thresher.Problem",),
        ("unit/problem/test_problem.py::test_gaps_are_distances_in_units_of_noise",),
        ("gap-of-the-experiments",),
        ("gaps", "smaller"),
    ),
    Item(
        "Equation (1)",
        "section 1.1",
        "the two losses: mistakes weighted by known costs, and by the unknown gaps",
        ("thresher.simulate",),
        ("unit/research/simulation/test_simulation.py::test_losses_are_those_that_numpy_sees",),
    ),
    Item(
        "Equation (2)",
        "section 1.2",
        "the loss 'any mistake' (`--loss any`)",
        ("thresher.simulate",),
        ("unit/research/simulation/test_simulation.py::test_a_loss_of_any_is_the_chance_of_any_mistake",),
    ),
    Item(
        "Equation (3)",
        "section 2",
        "the weighted number of mistakes, the default loss",
        ("thresher.simulate",),
        ("unit/research/simulation/test_simulation.py::test_losses_are_those_that_numpy_sees",),
    ),
    Item(
        "Equation (4)",
        "section 2.1",
        "the Hoeffding bound of a fixed allocation",
        ("thresher.research.theory.gaussian_error_rates", "thresher.research.theory.bernoulli_error_rates"),
        (_THEORY + "test_error_rates.py::test_a_gaussian_arm_one_standard_deviation_away",),
        ("hoeffding",),
    ),
    Item(
        "Equation (5)",
        "section 2.1",
        "the non-adaptive oracle and its bound",
        ("thresher.research.theory.oracle",),
        (_THEORY + "test_oracle_allocation.py::test_equation_5_at_large_budgets",),
        ("oracle-form", "oracle-m", "oracle-grows", "oracle-hollow", "oracle-optimal", "oracle-like-lower-bound"),
    ),
    Item(
        "Theorem 1",
        "section 2.1",
        "a lower bound on the loss of every algorithm",
        ("thresher.research.theory.lower_bound",),
        (_THEORY + "test_lower_bounds.py::test_it_is_a_quarter_of_the_oracles_bound_at_twice_the_gaps",),
        ("theorem-1",),
        ("means",),
    ),
    Item(
        "Lemma 1",
        "section 2.2",
        "a good algorithm pulls the arms near the threshold",
        ("thresher.research.theory.least_pulls", "reproduction.proof_steps.four_models"),
        (_THEORY + "test_lower_bounds.py::test_the_pulls_of_hard_arms_by_the_closed_form",),
        ("pulls-lemma", "near-arms-linearly", "all-arms-pulled"),
        ("pulls",),
    ),
)
ALGORITHM = (
    Item(
        "Algorithm 1",
        "section 3",
        "pull the arm of least index; recommend at the time when the least index was largest (`--recommend peak`)",
        ("thresher.research.engine.reference.play",),
        (_STEPS + "test_at_the_last_peak_every_arm_has_the_largest_index_that_it_ever_had",),
        ("one-arm-after-peak",),
        ("t-max",),
    ),
    Item(
        "Assumption 1",
        "section 3",
        "an index does not decrease and grows without bound",
        ("thresher.policy.index.check_assumption",),
        ("unit/policy/index/test_assumption.py::test_every_built_in_index_passes_the_check",),
        ("assumption-1", "plain-index"),
    ),
    Item(
        "Index FWT",
        "section 3.1",
        "Frank-Wolfe on the bound of Eq. (4), with the index cut at 1 (`fwt`)",
        ("thresher.policy.index.fwt.fwt_formula",),
        ("unit/policy/index/test_fwt.py::test_above_the_cut_it_is_the_price_of_frank_and_wolfe",),
        ("recipe",),
    ),
    Item(
        "Recovering APT",
        "section 3.1",
        "the same derivation with a maximum gives APT (`apt`)",
        ("thresher.policy.index.apt.apt_formula",),
        ("unit/policy/index/test_apt.py::test_with_tolerance_it_ranks_as_locatelli_do",),
        ("recovers-apt",),
        ("apt",),
    ),
    Item(
        "Index LSA",
        "section 3",
        "evidence plus the logarithm of the pulls (`lsa`)",
        ("thresher.policy.index.lsa.lsa_formula",),
        ("unit/policy/index/test_lsa.py::test_it_is_twice_the_index_of_tao_for_half_sigma",),
        ("lsa-fwt-alike",),
    ),
)
BOUNDS = (
    Item(
        "Theorem 2",
        "section 3.2, and restated in appendix D",
        "an upper bound on the loss of every index policy",
        ("thresher.research.theory.upper_bound.theorem_2",),
        (
            _BOUNDS + "test_general_bound.py::test_a_case_by_hand",
            _BOUNDS + "test_simulated.py::test_the_mean_loss_is_below_every_bound",
        ),
        ("theorem-2",),
        ("split", "whole"),
    ),
    Item(
        "Corollary 1",
        "section 3.2, and appendix D",
        "the bound for APT, also for the chance of any mistake",
        (
            "thresher.research.theory.upper_bound.apt_corollary_1",
            "thresher.research.theory.upper_bound.apt_any_mistake",
        ),
        (_BOUNDS + "test_apt_bounds.py::test_corollary_1_of_a_worked_case",),
        ("corollary-1", "factor-8"),
        ("whole",),
    ),
    Item(
        "Times of LSA and FWT",
        "section 3.2, 'LSA and FWT'",
        "pulls after which an index reaches a level, and how near the bounds are",
        ("thresher.research.theory.upper_bound.lsa", "thresher.research.theory.upper_bound.fwt"),
        (_BOUNDS + "test_lsa_bounds.py::test_the_time_to_a_level_solves_the_equation_of_the_appendix",),
        ("lsa-times", "fwt-times", "lambert", "bounds-close", "factor-4005"),
        ("late",),
    ),
    Item(
        "Equation (6)",
        "section 3.2, and appendix D, 'Large T'",
        "the bound for FWT at large budgets",
        ("thresher.research.theory.upper_bound.fwt_large_budget",),
        (_BOUNDS + "test_fwt_bounds.py::test_equation_6_of_a_worked_case",),
        ("equation-6", "equation-6-condition", "within-factor-4"),
        ("condition", "whole"),
    ),
    Item(
        "Corollary 2",
        "section 3.2, and appendix D, 'General T'",
        "the bound for FWT at every budget, with two sets of arms",
        ("thresher.research.theory.upper_bound.fwt_corollary_2",),
        (_BOUNDS + "test_corollary_2.py::test_no_choice_of_sets_and_level_is_better_than_the_one_returned",),
        ("corollary-2",),
        ("whole",),
    ),
    Item(
        "Index for the sum of gaps",
        "section 3.3",
        "FWT for a loss of the gaps (`fwt-gaps`)",
        ("thresher.policy.index.fwt_gaps.fwt_gaps_formula",),
        ("unit/policy/index/test_fwt_gaps.py::test_above_the_cut_it_is_the_price_of_frank_and_wolfe",),
        ("gaps-index",),
    ),
    Item(
        "Corollary 3",
        "section 3.3, and appendix E",
        "its bound at large budgets; appendix E has one for every budget",
        (
            "thresher.research.theory.upper_bound.sum_of_gaps_corollary_3",
            "thresher.research.theory.upper_bound.sum_of_gaps",
        ),
        (
            _BOUNDS + "test_gap_bounds.py::test_corollary_3_of_a_worked_case",
            _BOUNDS + "test_gap_bounds.py::test_the_factor_of_the_appendix_is_gone",
        ),
        ("corollary-3", "gaps-idle-time"),
        ("idle", "whole", "smaller"),
    ),
    Item(
        "Toy example",
        "section 4",
        "arms on {0, x}: the losses of even and of adaptive sampling",
        (
            "thresher.research.theory.toy_uniform_loss",
            "thresher.research.theory.toy_adaptive_loss",
            "thresher.research.theory.toy_adaptive_bound",
        ),
        (_THEORY + "test_toy.py::test_the_printed_bound_is_below_the_loss_and_the_corrected_one_is_not",),
        ("toy-uniform", "toy-tail", "toy-printed-bound", "toy-adapting-wins"),
        ("toy",),
    ),
    Item(
        "Discussion",
        "after section 4",
        "open: other losses, and the chance of more than m mistakes (policy and loss `more-than`)",
        ("thresher.research.theory.frank_wolfe", "thresher.policy.goals.more_than.more_than_choose"),
        (
            "unit/policy/goals/test_more_than.py::"
            "test_a_weight_is_how_the_chance_of_too_many_mistakes_moves_with_that_of_its_arm",
        ),
    ),
)
APPENDIX = (
    Item(
        "Theorem 3",
        "appendix A",
        "Theorem 1 for a one-parameter exponential family",
        ("thresher.research.theory.family_lower_bound",),
        (_THEORY + "test_lower_bounds.py::test_the_general_form_takes_the_larger_divergence",),
        ("theorem-1",),
        ("means",),
    ),
    Item(
        "Lemma 2",
        "appendix A, with Equation (7)",
        "Lemma 1 again, with its proof",
        ("reproduction.proof_steps.pulls_needed", "reproduction.proof_steps.confusion"),
        (_STEPS + "test_a_policy_confuses_the_near_models_and_must_pull_their_arms",),
        ("pulls-lemma",),
        ("pulls",),
    ),
    Item(
        "Appendix B",
        "appendix B",
        "the oracle solved by a Lagrange multiplier, and which arms it gives up",
        ("thresher.research.theory.oracle",),
        (_THEORY + "test_oracle_allocation.py::test_what_must_hold_on_every_problem",),
        ("oracle-form", "oracle-first-arm"),
        ("gamma",),
    ),
    Item(
        "Lemma 3",
        "appendix C",
        "an arm at a level is pulled again only when all are",
        ("thresher.research.engine.reference.play",),
        (_STEPS + "test_all_indices_are_at_a_level_at_some_time_exactly_if_the_arms_need_no_more_than_the_budget",),
        ("all-reach-a-level",),
    ),
    Item(
        "Lemma 4",
        "appendix C",
        "at a level every arm has the pulls that it needs by itself",
        ("thresher.research.engine.reference.play",),
        (_STEPS + "test_all_indices_are_at_a_level_at_some_time_exactly_if_the_arms_need_no_more_than_the_budget",),
        ("all-reach-a-level",),
    ),
    Item(
        "Lemma 5",
        "appendix C",
        "all indices reach a level exactly if the separate pulls sum to at most T",
        ("thresher.research.engine.reference.play",),
        (_STEPS + "test_all_indices_are_at_a_level_at_some_time_exactly_if_the_arms_need_no_more_than_the_budget",),
        ("all-reach-a-level",),
    ),
    Item(
        "Lemma 6",
        "appendix C",
        "after t_max at most one arm is pulled",
        ("thresher.research.engine.reference.play",),
        (_STEPS + "test_at_the_last_peak_every_arm_has_the_largest_index_that_it_ever_had",),
        ("one-arm-after-peak",),
        ("t-max", "split"),
    ),
    Item(
        "Lemma 7",
        "appendix D",
        "an empirical gap is seldom much smaller than the gap",
        ("reproduction.proof_steps.short_gap_tail",),
        (_STEPS + "test_a_gap_seldom_looks_smaller_than_it_is",),
        (),
        ("square",),
    ),
    Item(
        "Lemma 8",
        "appendix D, from Janson",
        "the tail of a sum of variables with exponential tails",
        ("reproduction.proof_steps.exponential_sum_tail",),
        (_STEPS + "test_sums_of_exponentials_obey_their_tail",),
        ("exponential-sums",),
    ),
    Item(
        "Corollary 4",
        "appendix D",
        "the same, shifted",
        ("reproduction.proof_steps.exploration_tail",),
        (_STEPS + "test_the_arms_together_seldom_need_more_than_the_budget",),
        ("exponential-sums",),
    ),
    Item(
        "Theorem 4",
        "appendix D",
        "the tail of the pulls that an arm needs to reach a level",
        ("reproduction.proof_steps.reaching_tail",),
        (_STEPS + "test_an_index_is_seldom_late", _STEPS + "test_for_whole_pulls_the_printed_tail_is_violated"),
        ("reaching-tail",),
        ("square", "whole"),
    ),
    Item(
        "Lemma 9",
        "appendix D, with Equation (8)",
        "the tail of the sum of these pulls",
        ("thresher.research.theory.upper_bound.deviation", "reproduction.proof_steps.exploration_tail"),
        (
            _STEPS + "test_the_arms_together_seldom_need_more_than_the_budget",
            _STEPS + "test_for_whole_pulls_the_printed_sum_is_violated",
        ),
        ("reaching-tail",),
        ("whole",),
    ),
    Item(
        "Remark",
        "appendix D, after Lemma 9",
        'a sharper deviation (`form="root"`)',
        ("thresher.research.theory.upper_bound.deviation", "thresher.research.theory.upper_bound.apt"),
        (_BOUNDS + "test_apt_bounds.py::test_the_root_form_is_smaller_though_the_paper_says_the_same",),
        ("root-form",),
        ("remark",),
    ),
    Item(
        "Corollary 5",
        "appendix D",
        "Lemma 9 with arms that reach the level without evidence",
        ("thresher.research.theory.upper_bound.deviation",),
        (_BOUNDS + "test_deviations.py::test_an_arm_at_its_threshold_is_charged_its_idle_time",),
        (),
        ("whole",),
    ),
    Item(
        "Theorem 5",
        "appendix D",
        "an arm with a large index is seldom misjudged",
        ("reproduction.proof_steps.mistake_tail",),
        (_STEPS + "test_an_arm_with_a_large_index_is_seldom_on_the_wrong_side",),
        ("mistakes-at-high-index",),
        ("split",),
    ),
    Item(
        "Lemma 10",
        "appendix D",
        "a deviation of the mean that holds at all of the first T pulls",
        ("reproduction.proof_steps.uniform_deviation",),
        (
            _STEPS + "test_the_mean_seldom_strays_at_any_of_the_first_pulls",
            _STEPS + "test_without_the_division_the_printed_deviation_is_violated",
        ),
        ("uniform-deviation",),
        ("scale",),
    ),
    Item(
        "Lemma 11",
        "appendix D, with the three facts before it",
        "concentration and a mistake bound the pulls and the index",
        ("reproduction.proof_steps.mistake_tail",),
        (_STEPS + "test_an_arm_with_a_large_index_is_seldom_on_the_wrong_side",),
        ("mistakes-at-high-index",),
        ("scale",),
    ),
    Item(
        "Lemma 12",
        "appendix D",
        "a mistake at a large index needs a large deviation",
        ("reproduction.proof_steps.mistake_tail",),
        (_STEPS + "test_without_the_factor_of_the_budget_the_tail_of_mistakes_would_be_violated",),
        ("mistakes-at-high-index",),
    ),
    Item(
        "Equation (9)",
        "appendix D, 'LSA'",
        "the bound for LSA without Lambert's function",
        ("thresher.research.theory.upper_bound.lsa_explicit",),
        (_BOUNDS + "test_lsa_bounds.py::test_the_explicit_form_of_a_worked_case",),
        ("explicit-lsa", "lambert"),
        ("whole",),
    ),
    Item(
        "Indices of the experiments",
        "appendix G",
        "FWT with (1 + √x)² (`fwt-sqrt`); the gaps of the experiments",
        ("thresher.policy.index.fwt_sqrt.fwt_sqrt_formula",),
        ("unit/policy/index/test_fwt_sqrt.py::test_it_is_the_formula_of_the_paper",),
        ("two-forms-of-fwt", "two-forms-in-theory", "gap-of-the-experiments"),
        ("two-versions", "gaps"),
    ),
)
FIGURES = (
    Item(
        "Figure 1",
        "section 2.1",
        "where the oracle and the policies spend 500 pulls",
        ("figure-1",),
        (
            _FIGURES + "test_figure_1_shows_the_oracle_as_computed_by_hand",
            "papers/test_ouhamma2021.py::test_mean_pulls_of_figure_1",
        ),
        ("oracle-m", "oracle-hollow"),
    ),
    Item(
        "Figure 2",
        "section 3.2",
        "upper bounds for quadratic gaps, and the sets of Corollary 2",
        ("figure-2",),
        (_FIGURES + "test_figure_2_has_the_bounds_of_the_printed_formulas",),
        ("bounds-alike-far-out", "fwt-bound-earlier", "loss-of-one", "arms-one-by-one", "tao-above-all"),
        ("figure-2", "capped"),
    ),
    Item(
        "Figure 3",
        "section 4",
        "mistakes relative to the oracle's, equal and quadratic gaps",
        ("figure-3-left", "figure-3-right"),
        (
            _FIGURES + "test_figure_3_left_agrees_with_an_independent_simulation",
            "papers/test_ouhamma2021.py::test_mistakes_with_equal_gaps",
        ),
        ("equal-gaps-uniform", "beats-oracle-equal-gaps", "beats-oracle-quadratic"),
    ),
    Item(
        "Figure 4",
        "appendix F",
        "upper bounds for linear gaps",
        ("figure-4",),
        (_FIGURES + "test_figure_4_caps_all_bounds_alike_in_our_version",),
        ("figure-4-alike",),
        ("capped",),
    ),
    Item(
        "Figure 5",
        "appendix G",
        "mistakes against the budget",
        ("figure-5",),
        (
            _FIGURES + "test_figure_5_has_the_oracle_and_the_static_optimum",
            "papers/test_ouhamma2021.py::test_mistakes_with_gaps_of_all_sizes",
        ),
        ("lsa-fwt-alike",),
    ),
    Item(
        "Figure 6",
        "appendix G",
        "the same relative to the oracle's",
        ("figure-6",),
        (_FIGURES + "test_figure_6_is_figure_5_over_the_oracle",),
        ("apt-and-fwt-beat-oracle", "lsa-and-fwt-beat-oracle", "beats-best-fixed", "oracle-optimal"),
        ("oracle",),
    ),
    Item(
        "Figure 7",
        "appendix G",
        "where the pulls go, quadratic gaps",
        ("figure-7",),
        (_FIGURES + "test_figure_7_is_the_quadratic_problem_and_figure_8_the_linear_one",),
        ("oracle-grows", "nearer-means-more"),
        ("oracle",),
    ),
    Item(
        "Figure 8",
        "appendix G",
        "where the pulls go, linear gaps",
        ("figure-8",),
        (_FIGURES + "test_figure_7_is_the_quadratic_problem_and_figure_8_the_linear_one",),
        ("apt-on-hard-arms", "all-arms-pulled"),
        ("oracle",),
    ),
)
ITEMS: dict[str, tuple[Item, ...]] = {
    "Setting and lower bounds": SETTING,
    "Algorithm and indices": ALGORITHM,
    "Upper bounds and adaptivity": BOUNDS,
    "Appendix": APPENDIX,
    "Figures": FIGURES,
}

__all__ = ["FIGURES", "ITEMS", "Item"]
