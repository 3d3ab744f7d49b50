"""The machine half over HTTP, one noun a file. Parses, calls one service, answers."""
