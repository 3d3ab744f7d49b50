"""Each rater: bias, influence, agreement with the oracle, with each other and with their earlier self."""

from collections.abc import Sequence

import numpy as np

from metaeval.report.analysis.questions import Question
from metaeval.report.material import Material
from metaeval.report.results import Cell, Listing
from metaeval.stats.agreement import (
    agreement_matrix,
    rater_summaries,
    raters_against_oracle,
    self_consistency,
)
from metaeval.stats.design import Floats

MOST_RATERS = 200  # of the matrix: beyond, it has more cells than anybody reads


def rater_listings(questions: Sequence[Question], material: Material) -> list[Listing]:
    found = [_summaries(questions), _matrix(questions), _against_oracle(questions), _repeats(questions, material)]
    return [listing for listing in found if listing is not None and listing.rows]


def _summaries(questions: Sequence[Question]) -> Listing:
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        for row in rater_summaries(question.table, measurement=question.measurement):
            rows.append(
                (
                    question.criterion,
                    question.raters[row.rater],
                    row.ratings,
                    row.shared,
                    row.bias,
                    row.bias_standardised,
                    row.alpha_without,
                    row.influence,
                )
            )
    columns = ("criterion", "rater", "ratings", "shared", "bias", "bias_standardised", "alpha_without", "influence")
    note = (
        "Bias: mean difference from the others on the same samples. Influence: alpha without the rater minus alpha; "
        "above 0, the rater lowers agreement."
    )
    return Listing("raters", "Each rater", columns, tuple(rows), note)


def _matrix(questions: Sequence[Question]) -> Listing | None:
    if any(len(question.raters) > MOST_RATERS for question in questions):
        return None
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        matrix = agreement_matrix(question.table, measurement=question.measurement)
        for a, b in np.argwhere(np.triu(matrix.common, 1) >= 2).tolist():
            value = matrix.values[a, b]
            rows.append(
                (
                    question.criterion,
                    question.raters[a],
                    question.raters[b],
                    None if np.isnan(value) else float(value),
                    int(matrix.common[a, b]),
                )
            )
    columns = ("criterion", "rater_a", "rater_b", "alpha", "common")
    note = "Krippendorff's alpha of two raters on the samples that both rated; empty where it is undefined."
    return Listing("rater_pairs", "Raters against each other", columns, tuple(rows), note)


def _against_oracle(questions: Sequence[Question]) -> Listing | None:
    """As VeMo's Table 4: one row a rater, alpha with the oracle on each criterion."""
    oracle: dict[str, Floats] = {
        question.criterion: question.oracle for question in questions if question.oracle is not None
    }
    if not oracle:
        return None
    tables = {question.criterion: question.table for question in questions}
    found = raters_against_oracle(
        tables, oracle, measurement={question.criterion: question.measurement for question in questions}
    )
    rows = tuple(
        (
            questions[0].raters[row.rater],
            *(value for name in oracle for value in (row.alpha.get(name), row.common.get(name))),
        )
        for row in found
    )
    columns = ("rater", *(column for name in oracle for column in (name, f"{name}_common")))
    return Listing(
        "oracle_agreement", "Each rater against the oracle", columns, rows, "Krippendorff's alpha of the two."
    )


def _repeats(questions: Sequence[Question], material: Material) -> Listing:
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        given = material.ratings[question.criterion]
        for row in self_consistency(
            rater=given.rater,
            sample=given.sample,
            occasion=given.occasion,
            value=given.value,
            measurement=question.measurement,
        ):
            rows.append((question.criterion, material.raters[row.rater], row.alpha, row.samples, row.equal))
    columns = ("criterion", "rater", "alpha", "samples", "equal")
    return Listing(
        "rater_repeats", "Raters against their earlier selves", columns, tuple(rows), "Samples rated on two occasions."
    )
