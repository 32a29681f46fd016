"""Fixtures of the tests of simulations."""

from tests.browser import chromium

__all__ = ["chromium"]
