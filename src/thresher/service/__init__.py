"""The HTTP API: ask, tell, read and administer campaigns.

:func:`create_app` returns the ASGI application for a database and :class:`Settings`. ``thresher serve`` runs it with
uvicorn (``server``, ``connections``) and adds the dashboard. Routes read their input, make one call and return the
result; one table (``problem_details``) maps errors to status codes. Middleware checks every request: ``security``
(host, origin, size) and ``authentication`` (token).
"""

from thresher.service.app import create_app
from thresher.service.settings import Settings
from thresher.service.tokens import Caller, Keyring

__all__ = ["Caller", "Keyring", "Settings", "create_app"]
