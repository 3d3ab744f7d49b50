"""Reading ratings and scores in long form from CSV, JSONL or Parquet into columns of codes and numbers.

Every fault is an `InputError` of one line that names the file, the line, the column, what was expected and what was
found. What one file says of itself is checked here; that the two files fit each other is checked by
`metaeval.report.assemble`.
"""

from metaeval.report.inputs.columns import Names
from metaeval.report.inputs.errors import InputError
from metaeval.report.inputs.formats import sha256_of
from metaeval.report.inputs.ratings import RatingRow, RatingRows, read_ratings
from metaeval.report.inputs.scores import ScoreRow, ScoreRows, read_scores

__all__ = [
    "InputError",
    "Names",
    "RatingRow",
    "RatingRows",
    "ScoreRow",
    "ScoreRows",
    "read_ratings",
    "read_scores",
    "sha256_of",
]
