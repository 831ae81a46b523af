"""Input that attacks: requests to refuse (:mod:`requests`), texts that :mod:`injection` and :mod:`markup` would run."""
