"""Web pages for campaigns: server-rendered, without a build step and without external requests.

Pages are rendered here (``templates/``), their pictures by :mod:`thresher.report`; a little script (``static/``)
fetches the parts that changed when the service's stream says so, and without it the pages work too. :func:`create_app`
is the service with its pages.
"""

from thresher.dashboard.app import create_app

__all__ = ["create_app"]
