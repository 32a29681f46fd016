"""One file a revision, in their order."""
