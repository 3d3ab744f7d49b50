"""The human half over HTTP, one noun a file. Parses, calls one service, answers.

Raters appear by their pseudonym only: no platform id, no id that joins one study to another, no salt.
"""
