"""Composing HITs, as properties over many studies."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling import (
    Composition,
    SampleKey,
    Share,
    arrange_items,
    compose_hits,
    draw_gold,
    summarise_hits,
)

studies = st.builds(
    lambda prompts, generators: [
        SampleKey(sample=prompt * 100 + generator, prompt=prompt, generator=generator)
        for prompt in range(prompts)
        for generator in range(generators)
    ],
    st.integers(1, 30),
    st.integers(1, 6),
)
compositions = st.builds(Composition, st.integers(1, 25), st.integers(0, 6), st.integers(1, 4))


@given(studies, compositions, st.integers(0, 2**32))
def test_every_pass_deals_every_sample_once_with_the_gold_it_wants(
    samples: list[SampleKey], composition: Composition, seed: int
) -> None:
    plans = compose_hits(samples, composition, seed=seed)
    for number in range(1, composition.passes + 1):
        hands = [plan.positions for plan in plans if plan.pass_number == number]
        dealt = [sample for hand in hands for sample in hand if sample is not None]
        assert sorted(dealt) == sorted(key.sample for key in samples)
        sizes = [sum(sample is not None for sample in hand) for hand in hands]
        assert max(sizes) <= composition.samples_per_hit
        assert max(sizes) - min(sizes) <= 1
        assert all(hand.count(None) == composition.gold_per_hit for hand in hands)
        assert all(hand[0] is not None for hand in hands)


@given(st.integers(6, 30), st.integers(1, 6), st.integers(0, 1000))
def test_a_prompt_meets_a_hit_once_where_that_can_be(prompts: int, generators: int, seed: int) -> None:
    samples = [SampleKey(p * 10 + g, p, g) for p in range(prompts) for g in range(generators)]
    plans = compose_hits(samples, Composition(samples_per_hit=prompts // 2, gold_per_hit=1, passes=2), seed=seed)
    for plan in plans:
        counts = Counter(sample // 10 for sample in plan.positions if sample is not None)
        assert max(counts.values()) <= -(-generators // (len(plans) // 2))


@given(st.integers(2, 6), st.integers(0, 1000))
def test_generators_are_balanced_within_a_hit(generators: int, seed: int) -> None:
    samples = [SampleKey(p * 10 + g, p, g) for p in range(24) for g in range(generators)]
    for plan in compose_hits(samples, Composition(12, 0, 1), seed=seed):
        counts = Counter(sample % 10 for sample in plan.positions if sample is not None)
        assert max(counts.values()) - min(counts[g] for g in range(generators)) <= 1


uneven = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), min_size=1, max_size=90).map(
    lambda pairs: [SampleKey(number, prompt, generator) for number, (prompt, generator) in enumerate(pairs)]
)


@given(uneven, compositions, st.integers(0, 2**32))
def test_no_hit_has_more_of_anything_than_must_be(
    samples: list[SampleKey], composition: Composition, seed: int
) -> None:
    """However uneven the study: sizes and generators differ by one, prompts come again only where they have to."""
    summary = summarise_hits(compose_hits(samples, composition, seed=seed), samples)
    assert summary.samples.most - summary.samples.fewest <= 1
    assert all(spread.most - spread.fewest <= 1 for spread in summary.generators.values())
    assert summary.prompts_again == summary.prompts_again_at_least
    assert summary.gold.fewest == summary.gold.most == composition.gold_per_hit
    prompts = {key.sample: key.prompt for key in samples}
    for plan in compose_hits(samples, composition, seed=seed):
        met = Counter(prompts[sample] for sample in plan.positions if sample is not None)
        hits = -(-len(samples) // composition.samples_per_hit)
        for prompt, count in met.items():
            assert count <= -(-sum(key.prompt == prompt for key in samples) // hits)


def test_raters_cross_because_each_pass_deals_anew() -> None:
    """Two samples that met in one pass seldom meet in the next: no more often than chance has it, or nearly."""
    samples = [SampleKey(p * 10 + g, p, g) for p in range(40) for g in range(5)]
    together: list[set[frozenset[int]]] = [set(), set()]
    for plan in compose_hits(samples, Composition(20, 5, 2), seed=3):
        dealt = [sample for sample in plan.positions if sample is not None]
        together[plan.pass_number - 1] |= {frozenset(pair) for pair in itertools.combinations(dealt, 2)}
    again = len(together[0] & together[1]) / len(together[0])
    assert again < 2 * 19 / 199


def test_gold_stands_anywhere_but_first_and_every_place_is_as_likely() -> None:
    samples = [SampleKey(number, number, 0) for number in range(2000)]
    plans = compose_hits(samples, Composition(20, 5, 4), seed=8)
    at = Counter(place for plan in plans for place, sample in enumerate(plan.positions) if sample is None)
    assert 0 not in at
    expected = len(plans) * 5 / 24
    assert all(abs(at[place] - expected) < 5 * expected**0.5 for place in range(1, 25))


@given(st.integers(0, 500), st.integers(1, 99), st.integers(0, 500))
def test_a_share_is_never_a_hair_too_small(samples: int, percent: int, given_so_far: int) -> None:
    share = Share(samples=samples, cap=percent / 100, given=given_so_far)
    assert share.allowed == samples * percent // 100
    assert share.left == max(share.allowed - given_so_far, 0)
    assert share.percent == f"{percent}%"


def test_the_same_seed_gives_the_same_hits_and_each_pass_its_own() -> None:
    samples = [SampleKey(p * 10 + g, p, g) for p in range(10) for g in range(3)]
    composition = Composition(10, 2, 2)
    plans = compose_hits(samples, composition, seed=5)
    assert plans == compose_hits(samples, composition, seed=5)
    assert plans != compose_hits(samples, composition, seed=6)
    first, second = ({frozenset(p.positions) for p in plans if p.pass_number == n} for n in (1, 2))
    assert first != second


@given(
    st.lists(st.one_of(st.none(), st.integers(1, 99)), max_size=20, unique_by=lambda x: x or object()),
    st.integers(0, 9),
)
def test_arranging_moves_samples_and_never_gold(positions: list[int | None], seed: int) -> None:
    arranged = arrange_items(positions, seed=seed)
    assert [entry is None for entry in arranged] == [entry is None for entry in positions]
    assert Counter(arranged) == Counter(positions)


@given(st.dictionaries(st.integers(1, 50), st.integers(0, 3), min_size=1), st.integers(0, 12), st.integers(0, 99))
def test_no_gold_comes_again_while_others_remain(seen: dict[int, int], count: int, seed: int) -> None:
    drawn = draw_gold(seen, count, seed=seed)
    assert len(drawn) == count
    met = Counter(seen) + Counter(drawn)
    for gold in drawn:
        # Whatever was drawn had been met no more often than what was left out.
        assert met[gold] - 1 <= min(met[other] for other in seen)


@pytest.mark.parametrize(("field", "value"), [("samples_per_hit", 0), ("gold_per_hit", -1), ("passes", 0)])
def test_impossible_settings_are_refused_by_name(field: str, value: int) -> None:
    settings = {"samples_per_hit": 5, "gold_per_hit": 1, "passes": 1, field: value}
    with pytest.raises(ValueError, match=f"{field}: expected at least"):
        Composition(**settings)
