"""What breaks a campaign on purpose: processes to kill, a disk that fails, bytes to flip, and the account afterwards.

:mod:`nursery` starts processes in milliseconds so that a test can kill hundreds, :mod:`workers` is what runs in them,
:mod:`account` compares what was acknowledged with what is stored, :mod:`disk` fails the n-th write and remembers what
a power cut would leave, :mod:`pages` tells which bytes of an SQLite file hold anything.
"""
