"""From the rows of two files to `Material`, in steps: derived criteria, the join, metrics, and a selection of rows.

`metaeval.report.assemble` and `metaeval.report.filters` are what others call.
"""
