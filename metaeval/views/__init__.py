"""The researcher's pages. Parse, call, answer."""
