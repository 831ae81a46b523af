"""``python -m thresher`` is the command ``thresher``."""

from thresher.cli.main import main

if __name__ == "__main__":
    main()
