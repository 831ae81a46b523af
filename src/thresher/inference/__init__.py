"""What outcomes say: evidence, population, chance of error, intervals, e-values and decisions.

How sure a verdict is follows from what was :class:`thresher.problem.Statistics`: :func:`intervals` and :func:`e_values`
are valid at every moment, :func:`doubt` is the chance of error and rests on the population of means that
:func:`fit_population` fits to all arms, and :func:`decide` returns which verdicts are decided under a guarantee.
:mod:`thresher.inference.bars` and :mod:`thresher.inference.guarantees` have one file for each kind of bar and of
guarantee. :func:`dependence` tells whether outcomes behave as independent samples.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.inference import normality
    from thresher.inference.agreement import Agreement, ArmAgreement, agreement_of
    from thresher.inference.answers import answers_of
    from thresher.inference.chance_of_error import (
        Doubt,
        Posterior,
        PosteriorCells,
        average,
        doubt,
        doubt_by,
        expected_means,
        posterior_at,
        posterior_of,
        posterior_under,
    )
    from thresher.inference.control_evidence import ToldOutcomes, certain_difference, difference, gap_of
    from thresher.inference.decisions import PASSES, Decisions, check_terms, decide, decided_arms, sides_of
    from thresher.inference.e_values import EValues, e_values
    from thresher.inference.effective_samples import effective, effective_in_flight
    from thresher.inference.evidence import (
        EVIDENCES,
        KL,
        SQUARED,
        STUDENT,
        TWO_POINT,
        evidence_in_flight,
        evidence_of,
        kl_evidence,
        squared_evidence,
    )
    from thresher.inference.foreseen import AskedItems, foreseen_of
    from thresher.inference.independence import FEWEST, Dependence, dependence
    from thresher.inference.intervals import Intervals, intervals
    from thresher.inference.item_effects import (
        ERRORS,
        FIRST_FIT,
        GROWTH,
        LEAST_SHARE,
        Effects,
        FittedItems,
        ItemFit,
        adjusted_total,
        effect_on_answerer,
        effect_on_others,
        fit_arms,
        fit_items,
        put_effects,
        score_effect,
    )
    from thresher.inference.population import FittedPopulation, fit_population
    from thresher.inference.proxies import LEAST_LEFT, OWN, RANKED, RIDGE, STEEPEST, fit_scores, uneven_share
    from thresher.inference.repeated_samples import (
        FEWEST_DEGREES,
        PSEUDO_DEGREES,
        ItemCells,
        Variance,
        answered,
        fit_rho,
        repeated_in_flight,
    )
    from thresher.inference.signals import (
        LESS_SCORED,
        NO_SIGNALS,
        SHRINKAGE,
        Signals,
        centred_scores,
        signals_in,
        signals_of,
    )
    from thresher.inference.spread import FEWEST_OUTCOMES, exceeds_sigma, squared_deviations

import_lazily(__name__)

__all__ = [
    "ERRORS",
    "EVIDENCES",
    "FEWEST",
    "FEWEST_DEGREES",
    "FEWEST_OUTCOMES",
    "FIRST_FIT",
    "GROWTH",
    "KL",
    "LEAST_LEFT",
    "LEAST_SHARE",
    "LESS_SCORED",
    "NO_SIGNALS",
    "OWN",
    "PASSES",
    "PSEUDO_DEGREES",
    "RANKED",
    "RIDGE",
    "SHRINKAGE",
    "SQUARED",
    "STEEPEST",
    "STUDENT",
    "TWO_POINT",
    "Agreement",
    "ArmAgreement",
    "AskedItems",
    "Decisions",
    "Dependence",
    "Doubt",
    "EValues",
    "Effects",
    "FittedItems",
    "FittedPopulation",
    "Intervals",
    "ItemCells",
    "ItemFit",
    "Posterior",
    "PosteriorCells",
    "Signals",
    "ToldOutcomes",
    "Variance",
    "adjusted_total",
    "agreement_of",
    "answered",
    "answers_of",
    "average",
    "centred_scores",
    "certain_difference",
    "check_terms",
    "decide",
    "decided_arms",
    "dependence",
    "difference",
    "doubt",
    "doubt_by",
    "e_values",
    "effect_on_answerer",
    "effect_on_others",
    "effective",
    "effective_in_flight",
    "evidence_in_flight",
    "evidence_of",
    "exceeds_sigma",
    "expected_means",
    "fit_arms",
    "fit_items",
    "fit_population",
    "fit_rho",
    "fit_scores",
    "foreseen_of",
    "gap_of",
    "intervals",
    "kl_evidence",
    "normality",
    "posterior_at",
    "posterior_of",
    "posterior_under",
    "put_effects",
    "repeated_in_flight",
    "score_effect",
    "sides_of",
    "signals_in",
    "signals_of",
    "squared_deviations",
    "squared_evidence",
    "uneven_share",
]
