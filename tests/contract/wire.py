"""A socket between a client and PostgreSQL that counts round trips."""

import os
import socket
import struct
import tempfile
import threading
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, urlparse

SYNC, QUERY = b"S", b"Q"  # the messages after which a client waits for the server


class CountingWire:
    """Stand between a client and a server, and count the messages after which the client waits."""

    def __init__(self, address: str) -> None:
        place = parse_qs(urlparse(address).query)["host"][0]
        self._server = str(Path(place) / ".s.PGSQL.5432")
        self._folder = tempfile.mkdtemp(prefix="wire")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{self._folder}/.s.PGSQL.5432")
        self._listener.listen()
        self.address = f"postgresql://postgres@/postgres?host={self._folder}"
        self.trips = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            threading.Thread(target=self._forward, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._forward, args=(server, client, False), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        buffer, begun = b"", False
        while data := self._receive(source):
            if counts:
                buffer, begun = self._count(buffer + data, begun)
            target.sendall(data)
        target.close()

    @staticmethod
    def _receive(source: socket.socket) -> bytes:
        try:
            return source.recv(65536)
        except OSError:
            return b""

    def _count(self, buffer: bytes, begun: bool) -> tuple[bytes, bool]:
        """Read whole messages: the first has a length and no type, the others a type and a length."""
        while len(buffer) >= 5:
            skip = 1 if begun else 0
            (length,) = struct.unpack_from("!i", buffer, skip)
            if len(buffer) < length + skip:
                break
            if begun and buffer[:1] in (SYNC, QUERY):
                self.trips += 1
            # An offer of encryption is answered by one byte and followed by the real beginning.
            begun = begun or struct.unpack_from("!i", buffer, 4)[0] >> 16 == 3
            buffer = buffer[length + skip :]
        return buffer, begun

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        Path(f"{self._folder}/.s.PGSQL.5432").unlink()
        os.rmdir(self._folder)  # noqa: PTH106
