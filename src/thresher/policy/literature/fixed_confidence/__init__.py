"""Policies that stop by themselves, at an error rate: which arm next, when to stop, what to output.

Three questions: which arms are above the bar (HDoC, LUCB-G, APT-G, lil'HDoC), the same with few false ones among those
output (Jamieson and Jain), and whether any arm is (Murphy sampling, sticky Track-and-Stop). One file for each rule.
"""
