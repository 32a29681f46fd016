"""Beliefs: posterior distributions of one person's theta, given the duels so far."""
