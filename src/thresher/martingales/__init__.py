"""Test martingales as functions of arrays: what always-valid limits and e-values are made of.

Nothing here knows questions or arms. Each module has one kind of outcome: :mod:`normal`, :mod:`beta_binomial` (0/1, or
between), :mod:`bernstein` (bounded, with their variance), :mod:`student` (normal, variance unknown), :mod:`pools`
(drawn without replacement); :mod:`joint` has two means together, and :mod:`mixture` the mixtures that all of them use.
"""
