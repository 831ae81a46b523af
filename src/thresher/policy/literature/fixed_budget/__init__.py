"""Fixed-budget policies that are not indices: they depend on all arms, on the time or on the horizon.

Each algorithm is one file with its formula and its steps, see :mod:`thresher.policy.rule`.
"""
