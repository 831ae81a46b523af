"""Hostile requests by name, for the service and for proxies in front of it.

Every case is refused with a status from 400 to 499 and leaves nothing behind; those in :data:`ODD` look like them and
are right.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from typing import Any

API = "/api/v1"
C = f"{API}/campaigns/c"
JSON = {"Content-Type": "application/json"}
MARK = "hostile-7f3a"  # in what is sent; no answer may have it raw where it was not a name


@dataclass(frozen=True)
class Case:
    """One request: a name that says what is wrong with it, and what is sent."""

    name: str
    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))
    is_chunked: bool = False


def _tell(name: str, value: str) -> Case:
    return Case(
        f"outcome: {name}", "POST", f"{C}/tell", b'{"outcomes":[{"ticket":"<ticket>","outcome":%s}]}' % value.encode()
    )


def _body(name: str, body: bytes, **given: Any) -> Case:
    return Case(f"body: {name}", "POST", f"{C}/tell", body, **given)


def _named(name: str, arm: str, *, raw: bool = False) -> Case:
    text = arm if raw else json.dumps(arm)
    return Case(f"name: {name}", "POST", f"{C}/arms", b'{"arms":[%s],"threshold":0.5}' % text.encode())


def _with(name: str, method: str, path: str, body: Any = None, **given: Any) -> Case:
    return Case(name, method, path, b"" if body is None else json.dumps(body).encode(), **given)


OUTCOMES = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "-Infinity": "-Infinity",
    "nan in lower case": "nan",
    "1e999": "1e999",
    "-1e999": "-1e999",
    "two": "2",
    "a half": "0.5",
    "minus one": "-1",
    "just above one": "1.0000000000000002",
    "5,000 digits": "9" * 5000,
    "400 digits": "1" + "0" * 400,
    "5,000 decimals": "0." + "3" * 5000,
    "a number in quotes": '"1"',
    "NaN in quotes": '"NaN"',
    "null": "null",
    "a list": "[1]",
    "an object": '{"value":1}',
    "nested a hundred thousand deep": "[" * 100_000 + "]" * 100_000,
    "hexadecimal": "0x1",
    "octal": "01",
    "a point without digits": "1.",
    "no digit before the point": ".5",
    "a plus sign": "+1",
    "an underscore": "1_0",
    "Arabic digits": "١",
    "a mark": f'"{MARK}"',
    "yes": "yes",
    "True of Python": "True",
    "undefined": "undefined",
}
BODIES = {
    "empty": b"",
    "one brace": b"{",
    "a trailing comma": b'{"outcomes":[],}',
    "single quotes": b"{'outcomes':[]}",
    "a comment": b'{"outcomes":[]/* x */}',
    "two documents": b'{"outcomes":[]}{"outcomes":[]}',
    "a byte order mark": b'\xef\xbb\xbf{"outcomes":[]}',
    "UTF-16": '{"outcomes":[]}'.encode("utf-16"),
    "UTF-32": '{"outcomes":[]}'.encode("utf-32"),
    "Latin-1": '{"outcomes":[],"é":1}'.encode("latin-1"),
    "a NUL byte": b'{"outcomes":[]}\0',
    "only NUL bytes": b"\0" * 100,
    "a key twice": b'{"outcomes":[],"outcomes":[]}',
    "a key twice inside": b'{"outcomes":[{"ticket":"1-a","ticket":"1-a","outcome":1}]}',
    "an unknown key": json.dumps({"outcomes": [], MARK: 1}).encode(),
    "a key of a megabyte less a bit": b'{"' + b"k" * 900_000 + b'":1}',
    "a prototype": b'{"outcomes":[],"__proto__":{"admin":true}}',
    "a constructor": b'{"outcomes":[],"constructor":{}}',
    "a list on top": b"[]",
    "a text on top": b'"outcomes"',
    "a number on top": b"1",
    "null on top": b"null",
    "true on top": b"true",
    "outcomes null": b'{"outcomes":null}',
    "outcomes a text": b'{"outcomes":"x"}',
    "outcomes an object": b'{"outcomes":{}}',
    "outcomes of numbers": b'{"outcomes":[1,2]}',
    "outcomes of lists": b'{"outcomes":[["1-a",1]]}',
    "no ticket": b'{"outcomes":[{"outcome":1}]}',
    "no outcome": b'{"outcomes":[{"ticket":"1-a"}]}',
    "a ticket that is a number": b'{"outcomes":[{"ticket":1,"outcome":1}]}',
    "a ticket that is null": b'{"outcomes":[{"ticket":null,"outcome":1}]}',
    "an empty ticket": b'{"outcomes":[{"ticket":"","outcome":1}]}',
    "a ticket of 10,000 letters": json.dumps({"outcomes": [{"ticket": "1-" + "a" * 10_000, "outcome": 1}]}).encode(),
    "a ticket that was never handed out": b'{"outcomes":[{"ticket":"1-00000000000000000000000000000000","outcome":1}]}',
    "a ticket of minus one": b'{"outcomes":[{"ticket":"-1-aa","outcome":1}]}',
    "a ticket of forty nines": json.dumps({"outcomes": [{"ticket": "9" * 40 + "-a", "outcome": 1}]}).encode(),
    "a ticket of SQL": b'{"outcomes":[{"ticket":"1-\' OR 1=1 --","outcome":1}]}',
    "a ticket with a NUL": b'{"outcomes":[{"ticket":"1-\\u0000","outcome":1}]}',
    "a ticket of half a pair": b'{"outcomes":[{"ticket":"1-\\ud800","outcome":1}]}',
    "a bad escape": b'{"outcomes":[{"ticket":"\\x41","outcome":1}]}',
    "half an escape": b'{"outcomes":[{"ticket":"\\u12","outcome":1}]}',
    "a raw line feed in a text": b'{"outcomes":[{"ticket":"a\nb","outcome":1}]}',
    "overlong UTF-8": b'{"outcomes":[{"ticket":"\xc0\xaf","outcome":1}]}',
    "a surrogate in UTF-8": b'{"outcomes":[{"ticket":"\xed\xa0\x80","outcome":1}]}',
    "objects a hundred thousand deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a quarter of a million brackets": b"[" * 250_000,
    "ten megabytes": b'{"outcomes":[]}' + b" " * 10_000_000,
    "one byte over the limit": b'{"outcomes":[]}'.ljust(1_000_001),
    "XML": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    "YAML with code": b"!!python/object/apply:os.system ['true']",
    "a pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00K\x01.",
    "MessagePack": b"\x81\xa8outcomes\x90",
}
NAMES = {
    "empty": "",
    "501 letters": "a" * 501,
    "100,000 letters": "a" * 100_000,
    "a NUL": "a\0b",
    "a line feed": "a\nb",
    "a carriage return": "a\rb",
    "a tab": "a\tb",
    "a backspace": "a\bb",
    "a bell": "\a",
    "an escape sequence": "\x1b[31mred\x1b[0m",
    "a title of the terminal": "\x1b]0;owned\x07",
    "a control character of Latin-1": "a\x85b",
    "delete": "a\x7fb",
    "the first half of a pair": "a\ud800",
    "the second half of a pair": "\udfffa",
    "a name that is there": "a",
}
RAW_NAMES = {
    "a number with a fraction": "1.5",
    "a huge number": "9" * 5000,
    "true": "true",
    "null": "null",
    "a list": '["x"]',
    "a name twice": '"x","x"',
    "a name and an object": '"x",{"arm":"y"}',
    "an object without an arm": '{"threshold":0.5}',
    "an object with a mark": f'{{"arm":"x","{MARK}":1}}',
    "an object with an arm twice": '{"arm":"x","arm":"y"}',
    "a threshold in quotes": '{"arm":"x","threshold":"0.5"}',
    "a negative cost": '{"arm":"x","cost":-1}',
    "a cost of nothing": '{"arm":"x","cost":0}',
    "a cost of NaN": '{"arm":"x","cost":NaN}',
    "a pull cost of 1e308": '{"arm":"x","pull_cost":1e308}',
    "a sigma where none belongs": '{"arm":"x","sigma":1}',
}
WISHES: dict[str, str] = {
    "no": "0",
    "minus one": "-1",
    "ten thousand and one": "10001",
    "5,000 digits of": "9" * 5000,
    "one and a half": "1.5",
    "one and no fraction": "1.0",
    "true": "true",
    "quoted": '"1"',
    "null": "null",
    "NaN": "NaN",
}
USUAL: dict[str, Any] = {"name": "new", "arms": ["x", "y"], "threshold": 0.5, "budget": 9}
NEW: dict[str, dict[str, Any]] = {
    "no arms": {"arms": []},
    "arms in one text": {"arms": "abc"},
    "a budget of text": {"budget": "9"},
    "a negative budget": {"budget": -1},
    "a budget of 1e300": {"budget": 1e300},
    "a budget below the arms": {"budget": 1},
    "a threshold of two": {"threshold": 2},
    "a list of thresholds": {"threshold": [0.5, 0.5]},
    "an unknown family": {"family": MARK},
    "an unknown policy": {"policy": "lsb"},
    "a policy that knows the truth": {"policy": "oracle"},
    "a policy with a path": {"policy": "../../etc/passwd"},
    "a policy with a hundred parameters": {"policy": "lsa:" + ",".join(f"a{i}=1" for i in range(100))},
    "a lease of nothing": {"lease": 0},
    "a lease of ever": {"lease": 1e300},
    "an unknown expiry": {"expiry": "never"},
    "a confidence of one": {"confidence": 1},
    "an empty range": {"family": "bounded", "low": 1, "high": 0},
    "a name that is taken": {"name": "c"},
    "a name with a NUL": {"name": "\0"},
    "a name of 501 letters": {"name": "n" * 501},
    "a name that is a number": {"name": 7},
    "a sigma for coins": {"sigma": 1},
    "an unknown term": {"lazy": True},
}
PATHS = {
    "a campaign that is not there": "/campaigns/nothing",
    "a NUL": "/campaigns/%00",
    "no UTF-8": "/campaigns/%ff%fe",
    "half a percent sign": "/campaigns/%",
    "a percent sign and a letter": "/campaigns/%zz",
    "an encoded parent": "/campaigns/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "a parent": "/campaigns/../../etc/passwd",
    "encoded twice": "/campaigns/%252e%252e",
    "a backslash": "/campaigns/..%5c..%5cwindows",
    "a semicolon": "/campaigns/c;admin=true",
    "two slashes": "//campaigns//c",
    "a slash at the end": "/campaigns/c/",
    "8,000 letters": "/campaigns/" + "a" * 8000,
    "SQL": "/campaigns/c'%20OR%20'1'%3D'1",
    "a union": "/campaigns/c'%20UNION%20SELECT%20digest%20FROM%20token--",
    "markup": "/campaigns/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "an escape sequence": "/campaigns/%1b%5b31m",
    "a line of a log": "/campaigns/x%0d%0aSet-Cookie:%20a=b",
    "a template": "/campaigns/%7B%7B7*7%7D%7D",
    "a format": "/campaigns/%25s%25n%7B0%7D",
    "zero-width letters": "/campaigns/c%E2%80%8B",
    "right to left": "/campaigns/%E2%80%AEc",
    "an arm of minus one": "/campaigns/c/arms/-1/pulls",
    "an arm that is a word": "/campaigns/c/arms/a/pulls",
    "an arm of a fraction": "/campaigns/c/arms/1.5/pulls",
    "an arm of 5,000 digits": "/campaigns/c/arms/" + "9" * 5000 + "/pulls",
    "an arm beyond 2 to the 63": "/campaigns/c/arms/9223372036854775808/pulls",
    "an export of a file": "/campaigns/c/export/..%2f..%2fetc%2fpasswd",
    "an export that is not there": "/campaigns/c/export/passwd.csv",
    "a route that is not there": "/campaigns/c/drop",
    "a page after minus one": "/campaigns/c/history?after=-1",
    "a page after a word": "/campaigns/c/history?after=x",
    "a page after NaN": "/campaigns/c/history?after=NaN",
    "a page after 5,000 digits": "/campaigns/c/history?after=" + "9" * 5000,
    "a page of none": "/campaigns/c/history?limit=0",
    "a page of a million": "/campaigns/c/verdicts?limit=1000000",
    "a page of a fraction": "/campaigns/c/verdicts?limit=1.5",
    "a wait of minus one": "/campaigns/c?wait=-1",
    "a wait of ever": "/campaigns/c?wait=inf",
    "a wait of NaN": "/campaigns/c?wait=nan",
    "a wait of 1e9": "/campaigns/c?wait=1e9",
}
GZIPPED = gzip.compress(b'{"outcomes":[]}')
BOMB = gzip.compress(b'{"outcomes":[' + b" " * 50_000_000 + b"]}")
TYPED = {
    "text/plain": "text/plain",
    "a form": "application/x-www-form-urlencoded",
    "multipart without a boundary": "multipart/form-data",
    "XML": "application/xml",
    "no type": "",
    "a type of 8,000 letters": "application/" + "x" * 8000,
    "octets": "application/octet-stream",
}

CASES = (
    *(_tell(name, value) for name, value in OUTCOMES.items()),
    *(_body(name, body) for name, body in BODIES.items()),
    *(
        _body(f"sent as {name}", b'{"outcomes":[]}', headers={"Content-Type": kind} if kind else {})
        for name, kind in TYPED.items()
    ),
    _body("gzip", GZIPPED, headers=JSON | {"Content-Encoding": "gzip"}),
    _body("a gzip bomb", BOMB, headers=JSON | {"Content-Encoding": "gzip"}),
    _body("gzip that says nothing", GZIPPED),
    _body("two megabytes in chunks", b'{"outcomes":[]}'.ljust(2_000_000), is_chunked=True),
    *(_named(name, arm) for name, arm in NAMES.items()),
    *(_named(name, arm, raw=True) for name, arm in RAW_NAMES.items()),
    *(
        Case(f"ask for {name} tickets", "POST", f"{C}/ask", b'{"n":%s}' % n.encode())
        for name, n in WISHES.items()
    ),
    *(
        _with(f"new: {name}", "POST", f"{API}/campaigns", USUAL | part)
        for name, part in NEW.items()
    ),
    *(_with(f"path: {name}", "GET", API + path) for name, path in PATHS.items()),
    _with("a method that is not allowed", "DELETE", C),
    _with("PUT", "PUT", C, {}),
    _with("PATCH", "PATCH", C, {}),
    _with("a method that does not exist", "HACK", C),
    _with("TRACE", "TRACE", C),
    _with("key: 201 letters", "POST", f"{C}/ask", {"n": 1}, headers=JSON | {"Idempotency-Key": "k" * 201}),
    _with("key: 8,000 letters", "POST", f"{C}/extend", {"amount": 1}, headers=JSON | {"Idempotency-Key": "k" * 8000}),
    _with("a wait in an ask of ever", "POST", f"{C}/ask?wait=1e99", {"n": 1}),
    _with("counts of no outcomes", "POST", f"{C}/counts", {"arm": "a", "n": 0, "total": 0}),
    _with("counts of more than can be", "POST", f"{C}/counts", {"arm": "a", "n": 1, "total": 2}),
    _with("counts beyond the budget", "POST", f"{C}/counts", {"arm": "a", "n": 10**12, "total": 1}),
    _with("counts of an unknown arm", "POST", f"{C}/counts", {"arm": "zzz", "n": 1, "total": 1}),
    _with("counts of an arm with a NUL", "POST", f"{C}/counts", {"arm": "\0", "n": 1, "total": 1}),
    _with("extend by nothing", "POST", f"{C}/extend", {"amount": 0}),
    _with("extend by less", "POST", f"{C}/extend", {"amount": -5}),
    _with("extend by 1e308", "POST", f"{C}/extend", {"amount": 1e308}),
    _with("extend by true", "POST", f"{C}/extend", {"amount": True}),
    _with("close for 201 letters", "POST", f"{C}/close", {"reason": "r" * 201}),
    _with("close for a number", "POST", f"{C}/close", {"reason": 1}),
    _with("retire an unknown arm", "POST", f"{C}/retire", {"arm": "zzz"}),
    _with("void nothing", "POST", f"{C}/void", {"ticket": "1-x"}),
    _with("amend nothing", "POST", f"{C}/amend", {"ticket": "1-x", "outcome": 1}),
    _with("a heartbeat of an unknown ticket", "POST", f"{C}/heartbeat", {"tickets": ["1-x"]}),
    _with("heartbeats of numbers", "POST", f"{C}/heartbeat", {"tickets": [1]}),
)  # fmt: skip

# Strange and right: names of any letters are kept as they are.
ODD = {
    "right to left": "\u202eabc",
    "a zero-width space": "a\u200bb",
    "a joined family": "👩‍👩‍👧",
    "markup": "<img src=x onerror=alert(1)>",
    "SQL": "'; DROP TABLE campaign; --",
    "a formula": "=cmd|' /C calc'!A0",
    "a template": "{{7*7}}",
    "a path": "../../etc/passwd",
    "500 letters": "ü" * 500,
    "combining marks": "Z" + "\u0301" * 300,
}
