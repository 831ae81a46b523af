"""What several suites of tests, and benchmarks, share.

:mod:`chaos` breaks campaigns on purpose, :mod:`hostile` has input that attacks something, :mod:`places` has storages
whose clock a test can move, :mod:`service_place` and :mod:`service_process` serve campaigns, :mod:`postgres_server`
starts a PostgreSQL that goes away with the tests, :mod:`own_index` registers an index for a while, :mod:`choices` lists
the choices of a field policy, :mod:`compile_once` keeps two processes from compiling the same function, :mod:`checkout`
names the folder that is tested.
"""
