"""Compiled functions: interpreted Python until something is compiled, and a cache on disk that is never stale.

The decorators import nothing. A function is compiled by Numba when it is first called; :func:`plain` returns it as
interpreted Python, which needs no Numba at all and gives the same numbers bit for bit.

Numba uses compiled code again as long as the file of the function is unchanged, even if a function that it calls has
changed. Here any edit of a package whose code is compiled makes all its compiled code stale.

Numba numbers the files that hold the compiled signatures of a function: 1, 2, …. Two processes that compile two
signatures at the same time choose the same number, and later runs call the wrong machine code. Here the number is a
hash of the signature: at worst both processes compile the same one.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import threading
import warnings
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np

__all__ = [
    "Compilable", "Whole", "compile_error_line", "formula", "is_numba_loaded", "kernel", "lgamma_of_c", "likely",
    "load_numba", "njit", "plain", "quickest", "returned",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])


PACKAGE = Path(__file__).parent
CALLERS = ("reproduction", "benchmarks")  # other packages whose compiled functions call those of this one
# Packages that compile nothing, and that nothing which compiles may import: an edit there keeps the compiled code.
NEVER_COMPILED = {
    "campaign", "report", "run", "service", "research/papers", "dashboard", "cli", "pytest_plugin", "inspect_ai",
}  # fmt: skip


@cache
def hash_of_sources(package: Path) -> str:
    """Return a hash of all files of a package that its compiled code can come from, data among them."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package)
        if any(name.is_relative_to(folder) for folder in NEVER_COMPILED) or "__pycache__" in name.parts:
            continue
        if path.is_file():
            digest.update(name.as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@cache
def _package_of(folder: Path) -> Path:
    """Return the folder of the outermost package that a folder is part of."""
    return _package_of(folder.parent) if (folder.parent / "__init__.py").exists() else folder


# An integer that Numba does not treat as a constant: it compiles a function once more for every constant.
Whole: TypeAlias = int | np.int64

# Milliseconds of interpreted calls after which a process loads Numba, and after which it compiles.
LOADING, COMPILING = 300.0, 2000.0

_lock = threading.RLock()


class Compilable:
    """A function that Numba compiles when it is first called.

    It is compiled as a whole when Python calls it: with all that it calls, and with a wrapper that unpacks its
    arguments. What compiled code calls is a second function of Numba, without machine code of its own: to optimise and
    compile each function separately, and again in each of its callers, would take twice as long.

    Parameters
    ----------
    function : callable
    **options
        Of :func:`numba.njit`.
    """

    py_func: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self.py_func, self._options = function, options
        self._compiled: Any = None
        self._part: Any = None

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return what the compiled function returns."""
        return (self._compiled or self._dispatcher)(*values, **named)

    @property
    def _dispatcher(self) -> Any:
        """The function of Numba, made once."""
        with _lock:
            if self._compiled is None:
                self._compiled = load_numba().njit(**self._options)(self.py_func)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """The type by which compiled code finds what it calls."""
        with _lock:
            if self._part is None:
                options = self._options | {"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
                self._part = load_numba().njit(**options, pipeline_class=_part_compiler())(self.py_func)
        return self._part._numba_type_

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of Numba's function."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._dispatcher, name)

    def __reduce__(self) -> str:
        """Pickle by name."""
        return self.py_func.__qualname__

    @property
    def is_on_disk(self) -> bool:
        """Whether compiled code of it can be read from the cache on disk."""
        cache_file = getattr(self._dispatcher._cache, "_cache_file", None)
        return cache_file is not None and bool(cache_file._load_index())


@overload
def njit(function: Function, /) -> Function: ...
@overload
def njit(**options: Any) -> Callable[[Function], Function]: ...
def njit(function: Any = None, **options: Any) -> Any:
    """Return a function that Numba compiles when it is called; the options are those of Numba."""
    if function is not None:
        return Compilable(function)
    return lambda function: Compilable(function, **options)


def kernel(function: Function) -> Function:
    """Return a compiled function."""
    return njit(cache=True, nogil=True)(function)


def formula(function: Function) -> Function:
    """Return a function that is inlined into its caller.

    Only for functions of plain numbers: with an array, every call would change its reference count, which takes longer
    than a draw.
    """
    return njit(cache=True, inline="always")(function)


@cache
def plain(function: Function) -> Function:
    """Return a function as interpreted Python, together with every compiled function that it calls.

    Call it in loops where compiling would take longer than the work, or where the arguments are tuples of many fields:
    Numba takes 100 µs to look at the type of each.
    """
    if not isinstance(function, Compilable):
        return function
    found: Function = interpreted(function)
    return found


def interpreted(function: Any, **names: Any) -> Any:
    """Return a function as interpreted Python in which some global names mean something else."""
    source: Any = function.py_func
    around = source.__globals__
    used = [name for name in _names(source.__code__) if isinstance(around.get(name), Compilable)]
    called = {name: interpreted(around[name], **names) if names else plain(around[name]) for name in used} | names
    found = FunctionType(source.__code__, around | called, source.__name__, source.__defaults__, source.__closure__)
    return update_wrapper(found, source)


_interpreted_time = 0.0


def quickest(function: Function, milliseconds: float, **names: Any) -> Function:
    """Return a function interpreted if that takes less time than to load Numba, or to compile; else as it is.

    All interpreted calls of a process count: one that calls often loads Numba after :data:`LOADING` milliseconds, or
    compiles after :data:`COMPILING`.

    Parameters
    ----------
    function : compiled function
    milliseconds : float
        About what the call takes interpreted.
    **names
        What global names mean in the interpreted function and those that it calls, such as a random generator in place
        of Numba's. Where one of them is None the function cannot be interpreted.
    """
    global _interpreted_time
    allowed = 0.0 if is_numba_loaded() else LOADING if _is_in_cache(function) else COMPILING
    if _interpreted_time + milliseconds > allowed or None in names.values():
        return function
    _interpreted_time += milliseconds
    found: Function = np.errstate(all="ignore")(interpreted(function, **names) if names else plain(function))
    return found


@cache
def lgamma_of_c() -> Callable[[float], float] | None:
    """Return the function of the C library that compiled code calls for ``math.lgamma``; None if it is not found.

    Python has an implementation of its own with other last bits.
    """
    function: Any = getattr(ctypes.CDLL(None), "lgamma", None) if os.name == "posix" else None
    if function is None:
        return None
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    found: Callable[[float], float] = function
    return found


def is_numba_loaded() -> bool:
    """Return whether this process has loaded Numba for our functions."""
    return _loaded.cache_info().currsize > 0


@cache
def _is_in_cache(function: Any) -> bool:
    """Return whether the cache on disk has a file for a function, perhaps a stale one; Numba is not loaded for it."""
    path, name = Path(function.py_func.__code__.co_filename), function.py_func.__name__
    folder = os.environ.get("NUMBA_CACHE_DIR")
    found = Path(folder).rglob if folder else (path.parent / "__pycache__").glob
    return any(True for _ in found(f"{path.stem}.{name}-*.nbi"))


def _names(code: CodeType) -> set[str]:
    """Return the global names that code and the functions inside it use."""
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(_names, inside))


def likely(condition: bool) -> bool:
    """Return a condition that is almost always true.

    The compiler does not inline a call in the other branch, and a running sum stays in its register, which halves the
    time of a draw.
    """
    return condition


def load_numba() -> Any:
    """Return the module Numba, with our cache and with what our functions need; the import takes half a second."""
    with _lock:
        return _loaded()


@cache
def _loaded() -> Any:
    import numba
    from llvmlite import ir
    from numba.core.caching import IndexDataCacheFile, _SourceFileBackedLocatorMixin
    from numba.extending import intrinsic, overload

    stamp_of_file = _SourceFileBackedLocatorMixin.get_source_stamp

    def stamp_of_sources(self: Any) -> object:
        """Return what must be unchanged for compiled code to be used again."""
        stamp, package = stamp_of_file(self), _package_of(Path(self._py_file).parent)
        if package != PACKAGE and package.name not in CALLERS:
            return stamp  # of another library
        return stamp, hash_of_sources(PACKAGE), hash_of_sources(package)

    @intrinsic
    def expected(_: Any, condition: Any) -> Any:
        def expect(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            bit = ir.IntType(1)
            function = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
            return builder.call(function, [arguments[0], bit(1)])

        return condition(condition), expect

    # Inlined by Numba itself, it would cut the loop around a draw short: the rest of the body was lost.
    def as_expected(condition):  # type: ignore[no-untyped-def]  # noqa: ARG001 - Numba compares signatures
        return lambda condition: expected(condition)  # type: ignore[call-arg]

    overload(likely)(as_expected)

    load_index = IndexDataCacheFile._load_index

    def load_known_index(self: Any) -> Any:
        """Return the compiled signatures; none if they name a class that has moved since."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # an old name: its stamp is an old one, too
                return load_index(self)
        except (ImportError, AttributeError):
            return {}

    _SourceFileBackedLocatorMixin.get_source_stamp = stamp_of_sources
    IndexDataCacheFile._load_index = load_known_index  # type: ignore[method-assign]
    IndexDataCacheFile.save = _save
    return numba


@cache
def _part_compiler() -> Any:
    """Return the compiler of functions for compiled callers, as Numba takes it."""
    from numba._dynfunc import make_function  # type: ignore[import-not-found]
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NativeLowering

    class PartLibrary(JITCodeLibrary):
        """The code of a function and of those that it calls, which callers link, optimise and compile as their own."""

        def _optimize_final_module(self) -> None:
            """Leave it to the caller."""

        def _finalize_final_module(self) -> None:
            """Make no machine code."""
            self._finalized = True

    @register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
    class PartLowering(NativeLowering):
        """Make the code of a function, and tell Numba where callers find it."""

        _name = "part_lowering"

        def run_pass(self, state: Any) -> bool:
            context, name = state.targetctx, state.func_id.func_qualname
            library = state.library = PartLibrary(context.codegen(), name)  # type: ignore[no-untyped-call]
            state.flags.no_compile = True
            super().run_pass(state)  # type: ignore[no-untyped-call]
            described = state.cr.fndesc
            entry = make_function(described.lookup_module(), name, "", 0, state.cr.env, (library,))
            context.insert_user_function(entry, described, [library])
            state.cr = state.cr._replace(cfunc=entry)
            return True

    class PartCompiler(CompilerBase):
        """Numba's own, but for the lowering."""

        def define_pipelines(self) -> list[Any]:
            found = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
            found.passes = [(PartLowering if one is NativeLowering else one, name) for one, name in found.passes]
            found.finalize()
            return [found]

    return PartCompiler


def _save(self: Any, key: object, data: object) -> None:
    """Write a compiled signature, then its place in the index."""
    name = self._data_name(int(hashlib.sha256(self._dump(key)).hexdigest()[:16], 16))
    self._save_data(name, data)
    self._save_index(self._load_index() | {key: name})


def returned(compiled: Any) -> str:
    """Return the name of the return type of a compiled function: float, int, bool, None, or the name in Numba."""
    types = load_numba().types
    kind = compiled.nopython_signatures[0].return_type
    if isinstance(kind, types.Optional):
        return "None for some arguments"
    names = {types.Float: "float", types.Integer: "int", types.Boolean: "bool", types.NoneType: "None"}
    return next((name for each, name in names.items() if isinstance(kind, each)), str(kind))


def compile_error_line(error: Exception) -> str:
    """Return the first line of the message of a Numba compilation error."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    return lines[0] if lines else type(error).__name__
