"""Alpha of the ratings of TIFA160, as the krippendorff package gives it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from metaeval.stats.agreement import Measurement, krippendorff_alpha

FOLDER = Path(__file__).parents[3] / "../shared/data/tifa160"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="../shared/data/tifa160 is absent")


def table_of(criterion: str) -> np.ndarray:
    with (FOLDER / "ratings.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["criterion"] == criterion and row["score"]]
    samples = {key: at for at, key in enumerate(sorted({(row["item"], row["system"]) for row in rows}))}
    raters = {rater: at for at, rater in enumerate(sorted({row["rater"] for row in rows}))}
    table = np.full((len(raters), len(samples)), np.nan)
    for row in rows:
        table[raters[row["rater"]], samples[row["item"], row["system"]]] = float(row["score"])
    return table


@pytest.mark.parametrize("criterion", ["faithfulness_dsg", "faithfulness_tifa"])
@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_alpha_of_tifa160_equals_its_reference(criterion: str, measurement: Measurement) -> None:
    reference = json.loads((FOLDER / "reference.json").read_text())["agreement"][criterion]
    table = table_of(criterion)
    assert table.shape == (reference["raters"], reference["units"])
    assert np.isnan(table).sum() == reference["missing"]
    assert krippendorff_alpha(table, measurement=measurement) == pytest.approx(reference[measurement], abs=1e-9)
