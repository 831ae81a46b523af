"""Contract tests for authors of storages and backends; the extra ``testing`` installs what they import.

:mod:`campaign_contract` is a pytest suite of what every campaign promises, :mod:`campaign_machine` a Hypothesis state
machine that compares any interleaving of calls with a model, :mod:`strategies` has random problems, policies and
budgets. Nothing else in thresher imports this package.
"""
