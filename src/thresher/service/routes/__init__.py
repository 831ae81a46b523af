"""The routes of the service: each reads its input, makes one call and shows the answer."""
