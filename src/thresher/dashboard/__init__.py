"""Web pages for campaigns: server-rendered, without a build step and without external requests.

Pages are rendered here (``templates/``), their pictures by :mod:`thresher.report`; a small script (``static/``)
updates the parts that changed after each event of the service's stream. The pages also work without it.
:func:`create_app` returns the service with its pages.
"""

from thresher.dashboard.app import create_app

__all__ = ["create_app"]
