"""Contract suites and servers for tests: ours, and those of outside authors of storages and backends.

:mod:`campaign_contract` says what every campaign promises, :mod:`campaign_machine` tries every interleaving against a
model, :mod:`own_index` registers an index for a while, :mod:`places` has storages whose clock a test can move,
:mod:`postgres_server` starts a PostgreSQL that goes away with the tests. Nothing in thresher imports this package.
"""
