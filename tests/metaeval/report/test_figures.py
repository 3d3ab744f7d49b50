"""Every figure: drawn from odd data, nothing cut off, light, the same twice; and the numbers behind some of them."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

from metaeval.report.figures import RECIPES, Drawing, Missing, Recipe, Scene, plates
from metaeval.report.figures.binary import two_classes
from metaeval.report.figures.distributions import largest_gap
from metaeval.report.figures.generator_means import bootstrap_means
from metaeval.report.figures.radar import integer_bounded, min_max, min_max_reversed
from metaeval.report.figures.scene import generator_means, positive_cut
from metaeval.report.figures.style import house_style, ink_on, save, shortened, wrapped
from metaeval.report.ranking import metrics_in_order
from metaeval.stats.design import Floats
from tests.metaeval.report.example import GENERATORS, HOSTILE, NAMES, Example, make_example

pytestmark = pytest.mark.slow

EXAMPLE = make_example(prompts=15)


def scene_of(example: Example, criterion: str = "naturalness") -> Scene:
    order = metrics_in_order(example.finding)
    return Scene(example.finding, example.material, example.labels, criterion, order)


def drawn(recipe: Recipe, scene: Scene) -> Drawing:
    drawing = recipe.draw(scene)
    assert isinstance(drawing, Drawing), drawing
    return drawing


def reaches_beyond_the_paper(figure: Figure) -> float:
    """By how many inches something is cut off."""
    drawn = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())
    width, height = figure.get_size_inches()
    return float(max(-drawn.x0, -drawn.y0, drawn.x1 - width, drawn.y1 - height))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_figure_is_whole_light_and_safe(recipe: Recipe, tmp_path: Path) -> None:
    with house_style():
        drawing = drawn(recipe, scene_of(EXAMPLE))
        save(drawing.figure, tmp_path / "figure")
        assert reaches_beyond_the_paper(drawing.figure) < 0.02
    svg = (tmp_path / "figure.svg").read_bytes()
    assert len(svg) < 300_000
    names = {element.tag for element in ElementTree.fromstring(svg).iter()}
    assert "{http://www.w3.org/2000/svg}b" not in names  # a metric is called <b>
    assert b"dc:date" not in svg
    assert b"CreationDate" not in (tmp_path / "figure.pdf").read_bytes()
    assert drawing.caption
    assert drawing.alt


@pytest.mark.parametrize("name", ["ratings", "raters", "generator-means"])
def test_a_figure_comes_out_the_same_twice(name: str, tmp_path: Path) -> None:
    recipe = next(recipe for recipe in RECIPES if recipe.name == name)
    for copy in ("first", "second"):
        with house_style():
            save(drawn(recipe, scene_of(EXAMPLE)).figure, tmp_path / copy)
    for suffix in (".svg", ".pdf"):
        assert (tmp_path / f"first{suffix}").read_bytes() == (tmp_path / f"second{suffix}").read_bytes()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_figure_without_data_says_why(recipe: Recipe) -> None:
    nothing = {name: np.full_like(label, np.nan) for name, label in EXAMPLE.labels.items()}
    finding = replace(EXAMPLE.finding, correlations=(), comparisons=())
    material = replace(EXAMPLE.material, ratings={})
    drawing = recipe.draw(Scene(finding, material, nothing, "naturalness", NAMES))
    assert isinstance(drawing, Missing)
    assert drawing.reason


def test_every_figure_of_a_report_has_a_name_of_its_own() -> None:
    names = [plate.name for plate in plates(EXAMPLE.finding, EXAMPLE.material, EXAMPLE.labels)]
    assert len(names) == len(set(names)) == 22
    assert "roc-naturalness" in names
    assert "radar" in names


def test_pyplot_and_the_users_settings_are_left_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    with house_style():
        drawn(RECIPES[8], scene_of(EXAMPLE))
    assert dict(matplotlib.rcParams) == before


# --- The numbers behind them ------------------------------------------------------------------------------------------

VALUES = arrays(np.float64, st.integers(2, 20), elements=st.floats(-50, 50).map(lambda value: round(value, 3)))


@given(VALUES)
def test_radar_axes_run_from_worst_to_best(values: Floats) -> None:
    if np.ptp(values) == 0:
        assert np.isnan(min_max(values)).all()
        return
    assert min_max(values).min() == 0
    assert min_max(values).max() == 1
    # Lower is better: the least value is the best.
    assert min_max_reversed(values)[values.argmin()] == 1
    assert min_max_reversed(values)[values.argmax()] == 0
    inside = integer_bounded(values)
    assert inside.min() >= 0
    assert inside.max() <= 1
    low, high = np.floor(values.min()), np.ceil(values.max())
    assert inside == pytest.approx((values - low) / (high - low))


@settings(max_examples=60)
@given(VALUES, VALUES)
def test_the_gap_that_is_drawn_is_the_ks_statistic(a: Floats, b: Floats) -> None:
    _, low, high = largest_gap(np.sort(a), np.sort(b))
    assert high - low == pytest.approx(stats.ks_2samp(a, b).statistic, abs=1e-12)


def test_generator_means_are_those_of_the_labels_and_their_intervals_hold_them() -> None:
    scene = scene_of(EXAMPLE, "faithfulness")
    means, low, high, counts = bootstrap_means(scene)
    assert means == pytest.approx(generator_means(scene.label, scene))
    assert counts.sum() == np.isfinite(scene.label).sum()
    assert len(means) == len(GENERATORS)
    assert ((low <= means) & (means <= high)).all()


def test_the_reference_stays_out_of_reference_based_metrics() -> None:
    classes = two_classes(scene_of(EXAMPLE))
    assert not isinstance(classes, Missing)
    sizes = {entry.metric.name: len(entry.raw) for entry in classes}
    assert sizes["joint_position_error_root_aligned"] == sizes["jitter"] - 15


def test_the_positive_cut_is_the_stated_one_or_splits_most_evenly() -> None:
    assert positive_cut(scene_of(EXAMPLE)) == 3.0
    free = replace(EXAMPLE.material, criteria={})
    for criterion, candidates in (("naturalness", [2, 3, 4, 5]), ("faithfulness", [0.5])):
        scene = replace(scene_of(EXAMPLE, criterion), material=free)
        known = scene.label[np.isfinite(scene.label)]
        assert positive_cut(scene) == max(candidates, key=lambda cut: min((known >= cut).sum(), (known < cut).sum()))


@given(st.text(max_size=60))
def test_names_are_shortened_to_fit(name: str) -> None:
    assert len(shortened(name, width=20)) <= 20
    assert all(len(line) <= 20 for line in wrapped(name, width=20).split("\n"))
    assert wrapped(name, width=20).count("\n") <= 1


def test_short_names_stay_as_they_are() -> None:
    assert shortened("foot_sliding") == wrapped("foot_sliding") == "foot_sliding"
    assert wrapped(HOSTILE, width=60) == HOSTILE


def test_text_on_a_shade_has_contrast() -> None:
    assert ink_on(0.0) != ink_on(1.0)
