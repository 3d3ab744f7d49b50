"""Planning from a pilot."""

import dataclasses

import numpy as np
import pytest

from metaeval.stats.power import Pay, Plan, Size, plan_study, render_plan_text
from metaeval.stats.power.cost import assignments_needed, study_cost
from metaeval.stats.power.pilot import draw_study as draw_from_pilot
from metaeval.stats.power.pilot import read_pilot
from metaeval.stats.simulation import Population, draw_study

pytestmark = pytest.mark.slow

STUDY = draw_study(Population(prompts=60, generators=4), seed=9)
WORSE = STUDY.scores + np.random.default_rng(1).normal(0, 1.0, STUDY.design.size)
BOTH = np.array([STUDY.scores, WORSE])


def plan(**options: object) -> Plan:
    chosen = {"sizes": [Size(20, 4, 3), Size(120, 4, 3)], "studies": 20, "scores": BOTH, **options}
    scores = chosen.pop("scores")
    return plan_study(STUDY.ratings, scores, STUDY.design, **chosen)  # type: ignore[arg-type]


def test_larger_studies_have_more_power_and_cost_more() -> None:
    small, large = plan().rows
    assert small.value is not None
    assert large.value is not None
    assert small.value < large.value
    assert small.cost < large.cost
    assert (small.samples, large.samples) == (80, 480)


def test_the_cheapest_sufficient_size_is_named() -> None:
    found = plan(target=0.5)
    assert found.cheapest == next(row for row in found.rows if row.is_sufficient)
    impossible = plan(scores=np.array([STUDY.scores, STUDY.scores + 0.01 * WORSE]))
    assert impossible.cheapest is None
    assert "None of these sizes is enough" in render_plan_text(impossible)


def test_equal_metrics_are_told_apart_no_more_often_than_the_level_says() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.6, (2, STUDY.design.size))
    # Two metrics that are the truth with as much noise each: standardise what the draw gave one of them more.
    pair = STUDY.labels + noise
    pair[1] = _with_correlation(pair[1], STUDY.labels, np.corrcoef(pair[0], STUDY.labels)[0, 1])
    (row,) = plan(scores=pair, sizes=[Size(60, 4, 3)], studies=100).rows
    assert row.value is not None
    assert row.value <= 0.12


def _with_correlation(scores: np.ndarray, labels: np.ndarray, wanted: float) -> np.ndarray:
    label = (labels - labels.mean()) / labels.std()
    rest = scores - scores.mean() - np.mean((scores - scores.mean()) * label) * label
    return wanted * label + np.sqrt(1 - wanted**2) * rest / rest.std()


def test_widths_shrink_with_prompts_and_raters() -> None:
    sizes = [Size(40, 4, 1), Size(40, 4, 5), Size(160, 4, 1)]
    rows = {
        (row.prompts, row.raters): row.value for row in plan(scores=BOTH[:1], aim="width", target=0.1, sizes=sizes).rows
    }
    few, many = rows[40, 1], rows[160, 1]
    assert few is not None
    assert many is not None
    assert many == pytest.approx(few / 2, rel=0.2)  # four times the prompts
    assert rows[40, 5] is not None
    assert rows[40, 5] < few


def test_drawn_studies_with_the_pilots_raters_correlate_as_the_pilot() -> None:
    pilot = read_pilot(STUDY.ratings, BOTH, STUDY.design)
    rng = np.random.default_rng(0)
    for metric in range(2):
        drawn = [draw_from_pilot(pilot, prompts=60, generators=4, raters=3, rng=rng) for _ in range(60)]
        values = [np.corrcoef(one.scores[metric], one.labels)[0, 1] for one in drawn]
        assert np.mean(values) == pytest.approx(np.corrcoef(BOTH[metric], STUDY.labels)[0, 1], abs=0.03)


def test_drawn_labels_vary_as_those_of_that_many_raters() -> None:
    population = Population(prompts=400, generators=4, rater_noise=1.0)
    five = draw_study(dataclasses.replace(population, raters=5), seed=2)
    pilot = read_pilot(five.ratings[:3], five.scores[None], five.design)
    rng = np.random.default_rng(0)
    for raters in (1, 2, 5):
        drawn = [draw_from_pilot(pilot, prompts=400, generators=4, raters=raters, rng=rng) for _ in range(5)]
        found = np.mean([one.labels.var() for one in drawn])
        assert found == pytest.approx(five.ratings[:raters].mean(axis=0).var(), rel=0.08)
        correlation = np.mean([np.corrcoef(one.labels, one.scores[0])[0, 1] for one in drawn])
        expected = np.corrcoef(five.ratings[:raters].mean(axis=0), five.scores)[0, 1]
        assert correlation == pytest.approx(expected, abs=0.03)


def test_labels_of_the_drawn_study_lie_on_the_steps_of_its_raters() -> None:
    pilot = read_pilot(STUDY.ratings, BOTH, STUDY.design)
    drawn = draw_from_pilot(pilot, prompts=30, generators=4, raters=2, rng=np.random.default_rng(1))
    assert set(np.unique(drawn.labels * 2) % 1) == {0.0}
    assert drawn.labels.min() >= 0
    assert drawn.labels.max() <= 4


def test_generators_may_be_fewer_or_more_and_more_is_warned_of() -> None:
    fewer, more = plan(sizes=[Size(20, 2, 3), Size(20, 6, 3)]).rows
    assert (fewer.samples, more.samples) == (40, 120)
    assert any("more generators" in warning for warning in plan(sizes=[Size(20, 6, 3)]).warnings)


def test_a_size_is_enough_only_where_the_luck_of_the_simulation_cannot_have_made_it_so() -> None:
    [row] = plan(sizes=[Size(60, 4, 3)]).rows
    assert row.value is not None
    assert row.mc_error is not None
    lowest = row.value - 1.96 * row.mc_error
    assert not plan(sizes=[Size(60, 4, 3)], target=(row.value + lowest) / 2).rows[0].is_sufficient
    assert plan(sizes=[Size(60, 4, 3)], target=lowest - 0.01).rows[0].is_sufficient


def test_the_same_seed_gives_the_same_plan() -> None:
    assert plan(seed=4) == plan(seed=4)


def test_hits_are_paid_by_the_seat() -> None:
    pay = Pay(samples_per_hit=20, per_hit=1.25, fee=0.2)
    assert assignments_needed(samples=81, raters=3, pay=pay) == 15
    assert study_cost(samples=81, raters=3, pay=pay) == pytest.approx(15 * 1.25 * 1.2)


def test_the_text_says_what_was_planned() -> None:
    text = render_plan_text(plan(target=0.5))
    assert "power of at least 0.5 to tell A from B" in text
    assert "20 drawn studies a size" in text
    assert "Cheapest that is enough" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aim": "guess"}, "aim: expected"),
        ({"aim": "width"}, "scores: expected 1 metric"),
        ({"aim": "width", "scores": BOTH[:1]}, "target: expected the widest"),
        ({"target": 1.5}, "target: expected a power"),
        ({"statistic": "ks"}, "statistic: expected one of"),
        ({"statistic": "auc_roc"}, "cut: expected"),
        ({"level": "generator", "statistic": "kendall_b"}, "level: expected"),
        ({"studies": 1}, "studies: expected"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan(**options)


def test_a_pilot_with_one_rating_a_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="two ratings or more"):
        plan_study(STUDY.ratings[:1], BOTH, STUDY.design)


def test_classes_are_planned_at_a_cut() -> None:
    (row,) = plan(statistic="auc_roc", cut=2.0, sizes=[Size(40, 4, 3)]).rows
    assert row.value is not None
