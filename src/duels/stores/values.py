"""Values that were read from JSON, checked to be of their kind."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def whole(value: Any) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"a whole number is needed, got {value!r}")
    return value


def text(value: Any) -> str:
    """Text."""
    if not isinstance(value, str):
        raise TypeError(f"text is needed, got {value!r}")
    return value


def moment(value: Any) -> datetime:
    """A moment with its time zone."""
    found = datetime.fromisoformat(text(value))
    if found.tzinfo is None:
        raise ValueError(f"a moment needs its time zone, got {value!r}")
    return found.astimezone(UTC)
