"""Motions, clips and render jobs over HTTP. Parses, calls one service, answers; no file leaves from here."""
