"""Composing HITs, as properties over many studies."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling import Composition, SampleKey, arrange_items, compose_hits, draw_gold

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
    repeats = sum(
        max(Counter(sample // 10 for sample in plan.positions if sample is not None).values()) - 1 for plan in plans
    )
    # HITs must end up equally full, so the very last deals may have to double up.
    assert repeats <= len(plans) // 4


@given(st.integers(2, 6), st.integers(0, 1000))
def test_generators_are_balanced_within_a_hit(generators: int, seed: int) -> None:
    samples = [SampleKey(p * 10 + g, p, g) for p in range(24) for g in range(generators)]
    for plan in compose_hits(samples, Composition(12, 0, 1), seed=seed):
        counts = Counter(sample % 10 for sample in plan.positions if sample is not None)
        assert max(counts.values()) - min(counts[g] for g in range(generators)) <= 4


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
