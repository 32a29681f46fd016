"""Stores keep facts: catalogues, sessions, questions, answers. They know no policy."""
