"""Whether decisions can be trusted, how many there are, and what more budget decides: see `__main__`."""
