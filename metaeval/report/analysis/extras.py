"""The tables beside the three main ones, in the order in which the report shows them."""

from collections.abc import Callable, Sequence

from metaeval.report.analysis.discrimination import threshold_listing, tie_listing
from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.filtering import filter_listing
from metaeval.report.analysis.generator_pairs import generator_pair_listing
from metaeval.report.analysis.noise import noise_listing
from metaeval.report.analysis.people import ceilings, criteria_listing, human_rows, judge_listing, user_rows
from metaeval.report.analysis.progress import Progress
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.raters import rater_listings
from metaeval.report.analysis.searches import search_listing
from metaeval.report.analysis.turned import Turned
from metaeval.report.analysis.williams import williams_listing
from metaeval.report.filters import FilterStep
from metaeval.report.results import Listing

Extra = Callable[[Sequence[Question], Sequence[Turned], Estimation], Listing | None]

EXTRAS: dict[str, Extra] = {
    "metrics beside a rater": human_rows,
    "raters against the oracle": lambda questions, _, estimation: user_rows(questions, estimation),
    "the ceiling": ceilings,
    "judges against people": lambda questions, _, estimation: judge_listing(questions, estimation),
    "thresholds": threshold_listing,
    "ties": tie_listing,
    "pairs of generators": generator_pair_listing,
    "searches": search_listing,
    "Williams' test": williams_listing,
    "criteria among themselves": lambda questions, _, estimation: criteria_listing(questions, estimation),
    "float noise": noise_listing,
}


def extra_listings(
    steps: Sequence[FilterStep],
    questions: Sequence[Question],
    metrics: Sequence[Turned],
    estimation: Estimation,
    progress: Progress,
) -> list[Listing]:
    found: list[Listing] = []
    for doing, make in EXTRAS.items():
        progress.step(doing)
        listing = make(questions, metrics, estimation)
        if listing is not None and listing.rows:
            found.append(listing)
    return [*found, *rater_listings(questions, estimation.material), filter_listing(steps, estimation)]
