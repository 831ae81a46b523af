"""Policies for other goals than few mistakes: many decided arms, or seldom more than a number of mistakes.

Each algorithm is one file with its formula and its steps, see :mod:`thresher.policy.rule`.
"""
