r"""Upper bounds on the loss of index policies: what the paper proves, as functions of gaps, costs and budget.

Every function takes the gaps :math:`\Delta_k = |\mu_k - \theta_k| / \sqrt{2 \sigma^2}`, most take the costs, all take
``budget=``, and all return a :class:`Bound`: its ``value``, whether it ``applies`` (a condition of the paper may fail),
whether it ``is_vacuous``, and ``number``, what a table prints. :func:`theorem_2` takes any index;
:func:`apt`, :func:`lsa`, :func:`fwt` and :func:`sum_of_gaps` are the same with the times solved by hand; the functions
named after a corollary are the paper's printed forms. All hold for sub-Gaussian arms and for the recommendation at the
time when the least index was largest.
"""

from thresher.research.theory.upper_bound.apt_bounds import apt, apt_any_mistake, apt_corollary_1
from thresher.research.theory.upper_bound.bound import Bound, LevelledBound
from thresher.research.theory.upper_bound.corollary_2 import SetBound, fwt_corollary_2
from thresher.research.theory.upper_bound.deviations import Deviation, deviation
from thresher.research.theory.upper_bound.earlier_bounds import far_exponent, improvement, locatelli, tao
from thresher.research.theory.upper_bound.first_passage import ArrayIndex, ScalarIndex
from thresher.research.theory.upper_bound.fwt_bounds import fwt, fwt_large_budget
from thresher.research.theory.upper_bound.gap_bounds import sum_of_gaps, sum_of_gaps_corollary_3
from thresher.research.theory.upper_bound.general_bound import theorem_2
from thresher.research.theory.upper_bound.lsa_bounds import lsa, lsa_explicit

__all__ = [
    "ArrayIndex",
    "Bound",
    "Deviation",
    "LevelledBound",
    "ScalarIndex",
    "SetBound",
    "apt",
    "apt_any_mistake",
    "apt_corollary_1",
    "deviation",
    "far_exponent",
    "fwt",
    "fwt_corollary_2",
    "fwt_large_budget",
    "improvement",
    "locatelli",
    "lsa",
    "lsa_explicit",
    "sum_of_gaps",
    "sum_of_gaps_corollary_3",
    "tao",
    "theorem_2",
]
