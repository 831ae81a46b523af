"""The tests of thresher, and in :mod:`tests.support` what several suites share."""
