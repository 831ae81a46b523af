r"""What can be known without a simulation: the oracle, exact losses, lower and upper bounds, and the limits.

Every function is pure: arrays of gaps and costs and a budget come in, a number, an array or a frozen record comes
out. A gap is :math:`|\mu - \theta|/\sqrt{2\sigma^2}`, so that nothing here knows of problems, policies or random
numbers.
"""
