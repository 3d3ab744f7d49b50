"""Reads of the machine half that are more than a filter: one subject a file, nothing is written."""
