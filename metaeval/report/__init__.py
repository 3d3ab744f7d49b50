"""From ratings and scores to tables: what `python -m metaeval analyse` does. No Django, no database.

`inputs` reads the two files, `config` reads analysis.toml, `assemble` and `filters` make arrays of them, `analysis`
computes, `files` writes. Nothing is imported here: the site's pages want `config` and `naming` without SciPy and
matplotlib behind them.
"""
