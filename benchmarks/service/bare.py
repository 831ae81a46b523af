"""A bare FastAPI endpoint to compare with: a POST that commits one row to SQLite, as durably as thresher does."""

import asyncio
import socket
import sqlite3
import sys
import threading

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI(openapi_url=None)
lock = threading.Lock()
connection: sqlite3.Connection


class Row(BaseModel):
    """What is posted."""

    ticket: str
    outcome: float


@app.post("/row")
def post(row: Row) -> Row:
    """Commit one row."""
    with lock:
        connection.execute("INSERT INTO row VALUES (?, ?)", (row.ticket, row.outcome))
    return row


def main(path: str) -> None:
    """Serve on a free port, which is printed, until a signal comes."""
    global connection
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE row (ticket, outcome)")
    # The same kind of socket as thresher's: see thresher.service.server.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False))
    asyncio.run(server.serve([listener]))


if __name__ == "__main__":
    main(sys.argv[1])
