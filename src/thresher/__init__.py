"""thresher decides, for each of K things, whether it passes a bar, with few mistakes on a budget."""

__version__ = "0.1.0"
