"""What every campaign promises, for every storage and backend.

:mod:`campaign_contract` is a pytest suite of what every campaign promises, :mod:`campaign_machine` a Hypothesis state
machine that compares any interleaving of calls with a model, :mod:`strategies` has random problems, policies and
budgets.
"""
