"""All statistics of one criterion together: their names, replicates and what the notes say was left out."""

import numpy as np
import pytest

from metaeval.stats.agreement import STATISTICS, AgreementEstimate, agreement_summary
from metaeval.stats.design import Weights

pytestmark = pytest.mark.slow

BOOTSTRAPPED = [name for name in STATISTICS if not name.startswith("cohen")]


def study(*, raters: int = 3, units: int = 60, missing: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(5)
    ratings = np.clip(np.round(3 + random.normal(size=units) + random.normal(size=(raters, units))), 1, 5)
    return np.where(random.random(ratings.shape) < missing, np.nan, ratings)


def draws(units: int, *, replicates: int = 6, a_prompt: int = 4) -> Weights:
    prompts = units // a_prompt
    counts = np.random.default_rng(1).multinomial(prompts, np.full(prompts, 1 / prompts), size=replicates)
    return Weights(counts.astype(float), np.arange(units) // a_prompt)


def summary(table: np.ndarray, weights: Weights | None = None, **options: bool) -> dict[str, AgreementEstimate]:
    prompts = np.arange(table.shape[1]) // 4
    return {row.statistic: row for row in agreement_summary(table, prompt_of=prompts, weights=weights, **options)}


def test_every_statistic_is_there_once_and_in_order() -> None:
    rows = agreement_summary(study(), prompt_of=np.zeros(60, int), weights=None)
    assert tuple(row.statistic for row in rows) == STATISTICS
    assert all(row.value is not None and row.replicates is None for row in rows)


@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("statistic", BOOTSTRAPPED)
def test_replicates_are_the_statistic_of_the_table_with_duplicated_columns(statistic: str, missing: float) -> None:
    table, weights = study(missing=missing), draws(60)
    row = summary(table, weights)[statistic]
    assert row.replicates is not None
    for found, multiplicity in zip(row.replicates, weights.expand().astype(int), strict=True):
        assert found == pytest.approx(summary(np.repeat(table, multiplicity, axis=1))[statistic].value, abs=1e-9)


def test_notes_say_how_many_samples_have_two_ratings() -> None:
    table = study()
    table[1:, :10] = np.nan
    table[:, 10:12] = np.nan
    row = summary(table)["alpha_ordinal"]
    assert row.n_units == 48
    assert row.note == "48 of 60 samples have two ratings (2 have none), on 12 of 15 prompts"


def test_a_nominal_scale_gets_only_what_needs_no_order() -> None:
    rows = summary(study(), scale_is_nominal=True)
    assert sorted(rows) == ["alpha_nominal", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "percent_agreement"]


def test_ratio_alpha_of_negative_values_is_undefined_by_name() -> None:
    row = summary(study() - 3, draws(60))["alpha_ratio"]
    assert (row.value, row.replicates) == (None, None)
    assert row.note == "undefined: a ratio scale has no values below 0"


@pytest.mark.parametrize(
    "table",
    [
        np.full((3, 8), 4.0),
        np.full((3, 8), np.nan),
        np.arange(8.0).reshape(1, 8),
        np.array([[1.0], [2.0]]),
        np.empty((0, 8)),
        np.empty((2, 0)),
    ],
)
@pytest.mark.filterwarnings("error")
def test_odd_tables_give_a_value_or_a_reason_and_no_warning(table: np.ndarray) -> None:
    units = table.shape[1]
    weights = Weights(np.array([[1.0, 1.0], [2.0, 0.0]]), np.arange(units) % 2)
    for row in summary(table, weights).values():
        assert row.value is not None or row.note.startswith("undefined: "), row


@pytest.mark.filterwarnings("error")
def test_continuous_ratings_are_fine() -> None:
    rows = summary(np.abs(np.random.default_rng(0).normal(size=(3, 60))), draws(60))
    assert all(row.value is not None for row in rows.values())


def test_prompts_of_other_units_are_refused() -> None:
    with pytest.raises(ValueError, match="prompt_of: expected one prompt for each of 60 units"):
        agreement_summary(study(), prompt_of=np.zeros(3, int), weights=None)
