"""Prompts, studies, HITs, raters, ratings, quality control and labels: the human half of the loop.

Must not know of metrics or analyses (`metaeval` does).
"""
