"""JSON as bytes: orjson's speed, and the standard library's patience with lone surrogates."""

import json
from typing import Any

import orjson

JSONDecodeError = orjson.JSONDecodeError


def dumps(value: Any) -> bytes:
    """`value` as compact UTF-8 JSON. Strings holding lone surrogates are written with escapes.

    Raises `TypeError` or `ValueError` for what JSON cannot hold.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def loads(data: bytes | str) -> Any:
    """The value in `data`; lone surrogate escapes come back as lone surrogates.

    Raises `ValueError` (of which `JSONDecodeError` is one) for anything that is no JSON.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        if (b"\\u" if isinstance(data, bytes) else "\\u") not in data:  # type: ignore[operator]
            raise
        return _patient_loads(data)


def _patient_loads(data: bytes | str) -> Any:
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
