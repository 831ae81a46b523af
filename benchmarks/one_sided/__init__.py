"""Whether a verdict that looks at all arms can replace the sign of the mean: see `__main__`."""
