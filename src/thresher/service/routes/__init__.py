"""The routes of the service: each reads its input, makes one call and returns the result."""
