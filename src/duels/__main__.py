"""``python -m duels`` is the command ``duels``."""

from __future__ import annotations

from duels.cli import main

if __name__ == "__main__":
    main(prog_name="duels")
