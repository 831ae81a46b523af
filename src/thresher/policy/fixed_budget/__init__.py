"""Policies that spend a budget and are no index: they look at all arms at once, at the clock or at the horizon.

Each algorithm is one file with its formula and its steps, see :mod:`thresher.policy.rule`.
"""
