r"""What an arm and its control have in common where both answered the same items.

On an item that both were told they may err together, beyond what the answers of all arms explain
(:mod:`thresher.policy.shared_items`): the difference is then better known than the two means. Let
:math:`\tilde d_{ki}` be what is left of an outcome after the adjustment, and :math:`\rho_k` its correlation with
that of the control, over the :math:`m_k` items that both were told. The adjusted means of arm and control, of
:math:`n_k` and :math:`n_0` of `N` items, then have errors of covariance

.. math:: \kappa_k = \rho_k \sqrt{V_k V_0} \Big(\frac{m_k}{n_k n_0} - \frac1N\Big)

with the variances :math:`V` of what is left. If every arm has a random order of its own, :math:`m_k` is about
:math:`n_k n_0 / N` and the covariance about 0. If all arms answer the same items, the bracket is
:math:`1/n - 1/N`: the variance of the difference is that of the pairs.
"""

from __future__ import annotations

import numpy as np

from thresher.types import Bools, Floats, Ints

BORROWED = 10.0  # pairs at which a correlation has half of the weight: of an arm, and of all arms together
LARGEST = 0.95  # of a correlation


def shared_errors(control: int, left: Floats, is_told: Bools, variances: Floats) -> Floats:
    """Return the covariance of the error of each adjusted mean with that of the control's, shape (K,).

    Parameters
    ----------
    control : int
        Its position.
    left : ndarray of float64, shape (K, N)
        What is left of each outcome, 0 where there is none.
    is_told : ndarray of bool, shape (K, N)
    variances : ndarray of float64, shape (K,)
        Of what is left.
    """
    is_pair = is_told & is_told[control]
    counts, pairs = is_told.sum(axis=1), is_pair.sum(axis=1)
    overlap = pairs / np.maximum(counts * counts[control], 1) - 1.0 / is_told.shape[1]
    found = _correlations(control, left, is_pair, pairs) * np.sqrt(variances * variances[control]) * overlap
    return np.where((counts > 0) & (counts[control] > 0) & (np.arange(counts.size) != control), found, 0.0)


def _correlations(control: int, left: Floats, is_pair: Bools, pairs: Ints) -> Floats:
    """Return the correlation of each arm with the control, shrunk towards the common one, which is shrunk towards 0."""
    products = np.where(is_pair, left * left[control], 0.0).sum(axis=1)
    squares, others = (np.where(is_pair, each**2, 0.0).sum(axis=1) for each in (left, left[control]))
    norms = np.sqrt(squares * others)
    is_judged = np.arange(pairs.size) != control
    known = float(pairs[is_judged].sum())
    common = float(products[is_judged].sum()) / max(float(norms[is_judged].sum()), 1e-300) * known / (known + BORROWED)
    own = products / np.maximum(norms, 1e-300)
    return np.asarray(np.clip((pairs * own + BORROWED * common) / (pairs + BORROWED), -LARGEST, LARGEST))
