"""Reads of the human half that are more than a filter: one subject a file, nothing is written."""
