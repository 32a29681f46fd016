"""Many people's sessions at once, kept in a store and alive in memory as far as there is room."""

from __future__ import annotations

from duels.dialogues.dialogues import Dialogues, State

__all__ = ["Dialogues", "State"]
