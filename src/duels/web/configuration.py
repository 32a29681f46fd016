"""What a server is started with; its worker processes read it from the environment."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import Self

from duels.dialogues.dialogues import MEMORY

VARIABLE = "DUELS_SERVER"


@dataclass(frozen=True)
class Configuration:
    """What a server is started with.

    Attributes:
        database: a SQLite file, or the address of a database.
        memory: bytes of live sessions, in each process.
        sessions_per_minute: that one address may begin, in each process; 0 for any number.
        secure: whether the owner's cookie is sent over HTTPS only.
    """

    database: str
    memory: int = MEMORY
    sessions_per_minute: int = 300
    secure: bool = False

    def to_environment(self) -> None:
        """Put this where worker processes find it."""
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Self:
        """What the process that started this one has put there."""
        return cls(**json.loads(os.environ[VARIABLE]))
