"""The HTTP API: ask, tell, read and administer campaigns.

:func:`create_app` gives the application for a database and :class:`Settings`; any ASGI server runs it, and
``thresher serve`` does so with uvicorn (``server``, ``connections``) and the dashboard on top. Routes read their input,
make one call and show the answer; one table (``problems``) turns errors into status codes; what every request must pass
stands in ``guard`` (host, origin, size) and ``gate`` (token).
"""

from thresher.service.app import create_app
from thresher.service.settings import Settings
from thresher.service.tokens import Caller, Keyring

__all__ = ["Caller", "Keyring", "Settings", "create_app"]
