"""The part of Numba that thresher uses; Numba ships no types."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

_F = TypeVar("_F", bound=Callable[..., Any])

@overload
def njit(function: _F, /) -> _F: ...
@overload
def njit(
    *,
    cache: bool = ...,
    nogil: bool = ...,
    inline: str = ...,
    error_model: str = ...,
    boundscheck: bool = ...,
    no_cpython_wrapper: bool = ...,
    no_cfunc_wrapper: bool = ...,
) -> Callable[[_F], _F]: ...
def cfunc(signature: Any, /, *, cache: bool = ..., _nrt: bool = ...) -> Callable[[Callable[..., Any]], Any]: ...

float64: Any
types: Any
int64: Any
void: Any

def typeof(value: Any) -> Any: ...

__version__: str
