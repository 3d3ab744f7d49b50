import numpy as np
import pytest

from metaeval.stats.association.floor import floor_of_order
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.association.set_metrics import evaluate_imported, evaluate_set, evaluate_subsets
from metaeval.stats.association.splits import splits
from metaeval.stats.association.subsplit import split_points, subsplit, subsplit_many
from metaeval.stats.design import Design, Floats, Ints, Weights, once
from tests.metaeval.association.oracles import oracle


def study(*, prompts: int = 30, generators: int = 2, seed: int = 0) -> tuple[Floats, Floats, Design]:
    rng = np.random.default_rng(seed)
    design = Design(np.repeat(np.arange(prompts), generators), np.tile(np.arange(generators), prompts))
    labels = design.generator + rng.normal(size=design.size)
    return labels + rng.normal(size=design.size), labels, design


def by_prompt(design: Design, *, replicates: int) -> Weights:
    count = int(design.prompt.max()) + 1
    counts = np.random.default_rng(1).multinomial(count, np.full(count, 1 / count), size=replicates)
    return Weights(counts.astype(float), design.prompt)


def test_every_repetition_deals_out_all_copies_in_equal_parts() -> None:
    _, _, design = study()
    design = design.take(np.arange(57))  # generators of different size
    weights = by_prompt(design, replicates=7)
    seen = 0
    for split in splits(design, weights, parts=3, repetitions=4, seed=0):
        drawn = weights.take(split.members).expand()[split.start : split.start + len(split.counts)]
        assert np.array_equal(split.counts.sum(axis=2), np.repeat(drawn[:, None], 4, axis=1))
        sizes = split.counts.sum(axis=3)
        assert (sizes.max(axis=2) - sizes.min(axis=2) <= 1).all()
        seen += len(split.counts)
    assert seen == 7 * 2


def test_points_are_the_means_of_the_parts_and_the_statistic_is_over_them() -> None:
    scores, labels, design = study()
    points = split_points(np.stack([scores, labels]), design, once(design), parts=2, repetitions=10, seed=5)
    assert points.means.shape == (2, 1, 40)
    by_generator = points.means[:, 0].reshape(2, 2, 10, 2).mean(axis=3)
    assert by_generator[0, 0] == pytest.approx(np.full(10, scores[design.generator == 0].mean()))
    for name in ("kendall_b", "spearman", "pearson"):
        found = subsplit(scores, labels, design, statistic=name, seed=5)
        expected = oracle(name, points.means[0, 0], points.means[1, 0])
        assert found.evaluation.values[0] == pytest.approx(expected, abs=1e-9)
        assert found.evaluation.n == 40


def test_the_same_seed_splits_alike_and_replicates_split_again() -> None:
    scores, labels, design = study()
    weights = by_prompt(design, replicates=30)
    found = subsplit_many(np.stack([scores, -scores]), labels, design, weights=weights, seed=2)["kendall_b"]
    again = subsplit(scores, labels, design, statistic="kendall_b", weights=weights, seed=2)
    assert found[0].evaluation.values == pytest.approx(again.evaluation.values)
    assert found[1].evaluation.values == pytest.approx(-again.evaluation.values)
    assert np.ptp(again.evaluation.values) > 0


def test_floor_of_two_well_separated_generators_is_that_of_vemo() -> None:
    labels = np.concatenate([np.arange(20.0), 100 + np.arange(20.0)])
    generator = np.repeat([0, 1], 20)
    tau = floor_of_order(labels, generator, statistic="kendall_b")
    rho = floor_of_order(labels, generator, statistic="spearman")
    assert tau.random_within == pytest.approx(400 / 780)
    assert rho.random_within == pytest.approx(0.7505, abs=1e-4)
    assert tau.tied_within == pytest.approx(400 / np.sqrt(400 * 780))
    assert rho.tied_within == pytest.approx(0.8663, abs=1e-4)


@pytest.mark.parametrize("name", ["kendall_b", "spearman", "pearson"])
def test_floor_is_the_mean_over_metrics_that_are_random_within_generators(name: str) -> None:
    rng = np.random.default_rng(0)
    generator = np.repeat([0, 1, 2], 8)
    labels = np.round(generator + rng.normal(size=24), 1)
    found = floor_of_order(labels, generator, statistic=name).random_within
    if name == "pearson":  # as scattered within a generator as its labels
        shuffled = [rng.permuted(np.tile(labels[generator == code], (2000, 1)), axis=1) for code in range(3)]
        scores = np.hstack(shuffled)
    else:
        scores = np.array([labels[generator == code].mean() for code in range(3)])[generator] + 1e-3 * rng.random(
            (2000, 24)
        )
    rows = STATISTICS[name].rows
    assert rows is not None
    values = rows(scores, np.tile(labels, (2000, 1)), None)
    assert found == pytest.approx(values.mean(), abs=4 * values.std() / np.sqrt(2000))


def test_a_metric_that_only_knows_the_generator_has_no_within_generator_value() -> None:
    _, labels, design = study()
    found = subsplit(design.generator.astype(np.float64), labels, design, statistic="kendall_b")
    assert found.within_generator is None
    assert found.floor_tied == pytest.approx(found.evaluation.values[0])
    constant = subsplit(np.full(design.size, 0.1), labels, design, statistic="kendall_b")
    assert constant.evaluation.reason == "undefined: constant scores"


def test_a_set_metric_that_is_a_mean_equals_the_mean_metric() -> None:
    scores, labels, design = study(generators=4)
    weights = by_prompt(design, replicates=6)

    def mean(samples: Ints) -> float:
        return float(scores[samples].mean())

    points = evaluate_set(mean, labels, design, statistic="pearson", weights=weights)
    from_means = np.stack([scores, labels])
    for value, row in zip(points.values, weights.expand(), strict=True):
        x, y = (
            [np.average(side[design.generator == g], weights=row[design.generator == g]) for g in range(4)]
            for side in from_means
        )
        assert value == pytest.approx(oracle("pearson", np.array(x), np.array(y)), abs=1e-9)
    split = evaluate_set(mean, labels, design, statistic="spearman", level="subsplit", weights=weights, seed=3)
    plain = subsplit(scores, labels, design, statistic="spearman", weights=weights, seed=3)
    assert split.values == pytest.approx(plain.evaluation.values, abs=1e-9)


def test_an_imported_number_is_a_point_and_cannot_be_resampled() -> None:
    _, labels, design = study(generators=4)
    means = np.array([labels[design.generator == g].mean() for g in range(4)])
    found = evaluate_imported(means, labels, design, statistic="kendall_b")
    assert (found.values[0], found.n) == (1.0, 4)
    gap = evaluate_imported(np.where(np.arange(4) == 1, np.nan, means), labels, design, statistic="pearson")
    assert gap.n == 3
    for options in ({"level": "subsplit"}, {"weights": by_prompt(design, replicates=3)}):
        undefined = evaluate_imported(means, labels, design, statistic="pearson", **options)
        assert np.isnan(undefined.values).all()
        assert undefined.reason == "undefined: set metric"


def test_named_subsets_are_points_against_the_mean_label_of_their_samples() -> None:
    _, labels, design = study(generators=3)
    subsets = {"early": design.prompt < 15, "late": design.prompt >= 15}
    values = {
        (generator, name): labels[(design.generator == generator) & member].mean() ** 3
        for generator in range(3)
        for name, member in subsets.items()
    }
    found = evaluate_subsets(values, subsets, labels, design, statistic="kendall_b")
    assert (found.values[0], found.n) == (1.0, 6)
    with pytest.raises(ValueError, match="subsets: expected 'never'"):
        evaluate_subsets({(0, "never"): 1.0}, subsets, labels, design, statistic="pearson")
