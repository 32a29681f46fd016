"""Slow twins: written from the paper, importing nothing from the package."""
