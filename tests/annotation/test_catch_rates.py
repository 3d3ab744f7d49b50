"""How often the gold rule fails whom: the spec's figures, brute force, the simulated raters, and the demo's gold."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Sample
from annotation.qc import (
    RATER_MODELS,
    Counting,
    GoldQuestion,
    GoldRule,
    KnownAnswer,
    KnownSample,
    RaterModel,
    fail_probability,
    judge_gold,
    middle_gold,
)
from annotation.qc.catch_rates import failure_distribution
from annotation.sampling import draw_gold
from fixtures.demo import SEED
from fixtures.demo import _choose_gold as choose_gold
from fixtures.generators import make_all
from fixtures.raters import KINDS

LIKERT = (0, 1, 2, 3, 4)
VOAS = GoldRule(failures_allowed=2)
MODELS = {model.name: model for model in RATER_MODELS}


def sample(*values: int, tolerance: int = 1, options: tuple[int, ...] = LIKERT) -> KnownSample:
    return {f"criterion-{number}": KnownAnswer(value, tolerance, options) for number, value in enumerate(values)}


samples = st.lists(st.integers(0, 4), min_size=1, max_size=2).flatmap(
    lambda values: st.integers(0, 2).map(lambda tolerance: sample(*values, tolerance=tolerance))
)
rules = st.builds(GoldRule, st.integers(0, 4), st.sampled_from(Counting))
models = st.sampled_from(RATER_MODELS)


# --- The figures of the specification ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "caught"), [(2, 0.75), (0, 0.97), (4, 0.97)])
def test_the_voas_rule_catches_a_random_clicker_75_of_100_times_mid_scale_and_97_at_the_ends(
    value: int, caught: float
) -> None:
    gold = [sample(value, value)] * 12
    assert round(fail_probability(gold, VOAS, MODELS["random-clicker"], per_hit=5), 2) == caught


def test_always_the_middle_passes_mid_scale_gold_and_fails_the_ends() -> None:
    middle = MODELS["always-the-middle"]
    assert fail_probability([sample(2, 3)] * 5, VOAS, middle, per_hit=5) == 0
    assert fail_probability([sample(4, 0)] * 5, VOAS, middle, per_hit=5) == 1


@pytest.mark.parametrize("value", LIKERT)
def test_careful_raters_keep_their_data_whatever_the_gold(value: int) -> None:
    assert fail_probability([sample(value, value)] * 10, VOAS, MODELS["careful"], per_hit=5) < 1e-6


# --- Against brute force ----------------------------------------------------------------------------------------------


def brute_force(gold: Sequence[KnownSample], rule: GoldRule, model: RaterModel, per_hit: int) -> float:
    """Every draw, and every way to answer it, judged by the rule itself."""
    failed = []
    for drawn in itertools.combinations(gold, per_hit):
        asked = [(index, code, answer) for index, known in enumerate(drawn) for code, answer in known.items()]
        total = 0.0
        for given_values in itertools.product(*(answer.options for _, _, answer in asked)):
            chance = math.prod(
                model.probabilities(answer.options, answer.value)[value]
                for (_, _, answer), value in zip(asked, given_values, strict=True)
            )
            answers: list[dict[str, int]] = [{} for _ in drawn]
            for (index, code, _), value in zip(asked, given_values, strict=True):
                answers[index][code] = value
            questions = [
                GoldQuestion(
                    {code: answer.value for code, answer in known.items()},
                    {code: answer.tolerance for code, answer in known.items()},
                    answered,
                )
                for known, answered in zip(drawn, answers, strict=True)
            ]
            total += chance * (not judge_gold(questions, rule).passes)
        failed.append(total)
    return math.fsum(failed) / len(failed)


small = st.lists(
    st.builds(
        lambda values, tolerance: sample(*values, tolerance=tolerance, options=(0, 1, 2)),
        st.lists(st.integers(0, 2), min_size=1, max_size=2),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=4,
)


@given(small, rules, models, st.integers(0, 2))
def test_the_computed_rate_is_that_of_every_draw_and_every_answer(
    gold: list[KnownSample], rule: GoldRule, model: RaterModel, per_hit: int
) -> None:
    per_hit = min(per_hit, len(gold))
    computed = fail_probability(gold, rule, model, per_hit=per_hit)
    assert computed == pytest.approx(brute_force(gold, rule, model, per_hit), abs=1e-12)


# --- What must always hold --------------------------------------------------------------------------------------------


@given(st.lists(samples, min_size=1, max_size=12), rules, models, st.integers(0, 14))
def test_failures_are_a_distribution_and_allowing_more_fails_fewer(
    gold: list[KnownSample], rule: GoldRule, model: RaterModel, per_hit: int
) -> None:
    chances = failure_distribution(gold, rule.counting, model, per_hit=per_hit)
    assert chances.sum() == pytest.approx(1)
    assert chances.min() >= -1e-12
    looser = GoldRule(rule.failures_allowed + 1, rule.counting)
    tight = fail_probability(gold, rule, model, per_hit=per_hit)
    assert tight + 1e-12 >= fail_probability(gold, looser, model, per_hit=per_hit)


@given(st.lists(samples, min_size=1, max_size=8), rules, models, st.integers(0, 8), st.randoms())
def test_the_order_of_the_gold_does_not_matter(
    gold: list[KnownSample], rule: GoldRule, model: RaterModel, per_hit: int, random: "np.random.Generator"
) -> None:
    turned = list(gold)
    random.shuffle(turned)
    rate = fail_probability(gold, rule, model, per_hit=per_hit)
    assert fail_probability(turned, rule, model, per_hit=per_hit) == pytest.approx(rate)


@given(st.lists(samples, min_size=1, max_size=8), models, st.integers(1, 8))
def test_counting_answers_never_counts_fewer_than_counting_questions(
    gold: list[KnownSample], model: RaterModel, per_hit: int
) -> None:
    for allowed in range(3):
        by_question = fail_probability(gold, GoldRule(allowed), model, per_hit=per_hit)
        by_answer = fail_probability(gold, GoldRule(allowed, Counting.RATING), model, per_hit=per_hit)
        assert by_answer + 1e-12 >= by_question


@given(models, st.integers(2, 21), st.data())
def test_a_models_answers_are_options_with_probabilities(model: RaterModel, count: int, data: st.DataObject) -> None:
    options = tuple(range(10, 10 + count))
    right = data.draw(st.sampled_from(options))
    chances = model.probabilities(options, right)
    assert set(chances) == set(options)
    assert math.fsum(chances.values()) == pytest.approx(1)
    assert min(chances.values()) >= 0


def test_a_lenient_rater_answers_higher_than_a_careful_one_and_both_are_near_the_right_answer() -> None:
    def mean(name: str) -> float:
        return sum(value * chance for value, chance in MODELS[name].probabilities(LIKERT, 2).items())

    assert mean("careful") == pytest.approx(2)
    assert mean("lenient") == pytest.approx(2.7, abs=0.05)


def test_without_gold_nobody_fails_and_gold_that_is_short_comes_again() -> None:
    clicker = MODELS["random-clicker"]
    assert fail_probability([], VOAS, clicker, per_hit=5) == 0
    assert fail_probability([sample(4)], VOAS, clicker, per_hit=0) == 0
    again = fail_probability([sample(4, 4)], VOAS, clicker, per_hit=5)
    assert again == pytest.approx(fail_probability([sample(4, 4)] * 5, VOAS, clicker, per_hit=5))


def test_what_cannot_be_right_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="value: expected one of"):
        KnownAnswer(5, 1, LIKERT)
    with pytest.raises(ValueError, match="tolerance: expected 0 or more"):
        KnownAnswer(4, -1, LIKERT)
    with pytest.raises(ValueError, match="per_hit"):
        fail_probability([sample(4)], VOAS, MODELS["careful"], per_hit=-1)
    with pytest.raises(ValueError, match="right: expected one of"):
        MODELS["careful"].probabilities(LIKERT, 7)


def test_gold_in_the_middle_is_counted_by_answer_and_by_sample() -> None:
    found = middle_gold([sample(2, 3), sample(4, 2), sample(0, 4), sample(2, 2, tolerance=0)])
    assert (found.answers, found.answers_in_middle) == (8, 5)
    assert (found.samples, found.samples_in_middle) == (4, 2)


def test_a_yes_or_no_question_has_no_middle_that_is_always_right() -> None:
    assert not KnownAnswer(1, 0, (0, 1)).middle_passes


# --- The simulated raters ---------------------------------------------------------------------------------------------

SEEDS = 200
# 200 seeds times 10 HITs: four standard errors.
HITS = 10


def simulated_share(
    gold: Sequence[KnownSample], kind: str, per_hit: int, *, truths: Sequence[Mapping[str, float]] | None = None
) -> float:
    """The share of assignments that fail when this kind answers, drawn and judged as the product does it."""
    truths = truths or [{code: answer.value for code, answer in known.items()} for known in gold]
    failed = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, len(gold)])
        for _ in range(HITS):
            drawn = draw_gold(dict.fromkeys(range(len(gold)), 0), per_hit, seed=int(rng.integers(2**32)))
            questions = [
                GoldQuestion(
                    {code: answer.value for code, answer in gold[index].items()},
                    {code: answer.tolerance for code, answer in gold[index].items()},
                    {code: KINDS[kind].choose(truths[index][code], rng) for code in gold[index]},
                )
                for index in drawn
            ]
            failed += not judge_gold(questions, VOAS).passes
    return failed / (SEEDS * HITS)


GOLDS = {
    "mid-scale": [sample(2, 2)] * 8,
    "extreme": [sample(4, 4)] * 5 + [sample(0, 0)] * 5,
    "mixed": [sample(4, 0), sample(2, 2), sample(1, 3), sample(0, 4), sample(2, 4), sample(3, 3), sample(1, 1)],
    "strict": [sample(2, 1, tolerance=0), sample(3, 0, tolerance=0), *[sample(1, 2)] * 4],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDS)
@pytest.mark.parametrize("kind", MODELS)
def test_over_200_seeds_each_simulated_kind_fails_as_often_as_computed(kind: str, name: str) -> None:
    gold = GOLDS[name]
    computed = fail_probability(gold, VOAS, MODELS[kind], per_hit=5)
    error = math.sqrt(computed * (1 - computed) / (SEEDS * HITS))
    assert abs(simulated_share(gold, kind, 5) - computed) <= 4 * error + 1e-9


# --- The demo's gold --------------------------------------------------------------------------------------------------

CRITERIA = ("naturalness", "faithfulness")


@pytest.fixture(scope="module")
def demo_truths() -> list[dict[str, float]]:
    """What is true of the demo's gold, as its maker knows it."""
    samples = [Sample(truth=asdict(made.truth)) for _, _, made in make_all(SEED)]
    return [{code: sample.truth[code] for code in CRITERIA} for sample in choose_gold(samples)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_on_the_demos_gold_each_simulated_kind_fails_as_often_as_the_page_says(
    kind: str, demo_truths: list[dict[str, float]]
) -> None:
    """The page knows the right answers, the raters the truth behind them: 0 stands for 0.4 too.

    That moves only the lenient, from one assignment in ten thousand to five in a thousand.
    """
    gold = [{code: KnownAnswer(round(truth[code]), 1, LIKERT) for code in CRITERIA} for truth in demo_truths]
    computed = fail_probability(gold, VOAS, MODELS[kind], per_hit=5)
    error = math.sqrt(computed * (1 - computed) / (SEEDS * HITS))
    slack = 0.01 if kind == "lenient" else 0
    assert abs(simulated_share(gold, kind, 5, truths=demo_truths) - computed) <= 4 * error + slack + 1e-9
    if kind == "careful":
        assert simulated_share(gold, kind, 5, truths=demo_truths) == 0
