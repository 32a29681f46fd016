"""The server: an API, a page for people, a page for the owner."""
