"""report.html as text: escaped, self-contained, complete."""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest

from metaeval.report.figures import RECIPES, Drawing, Scene
from metaeval.report.figures.style import house_style, save
from metaeval.report.html import Shown, render_report
from metaeval.report.html.others import MOST_PAIRS
from metaeval.report.html.svg import inline
from metaeval.report.ranking import metrics_in_order
from metaeval.report.results import Finding
from tests.metaeval.report.example import HOSTILE, make_example

EXAMPLE = make_example(prompts=12)
PROVENANCE = {"command": ["python", "-m", "metaeval"], "inputs": {"<i>r.csv": "ab"}, "versions": {"numpy": "2"}}


class Reader(HTMLParser):
    """Tags, ids, links and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "xlink:href") and (value or "").startswith("#"):
                self.links.append((value or "")[1:])
            elif name in ("href", "xlink:href", "src", "srcset", "action", "data"):
                self.addresses.append(value or "")


@cache
def saved_figure() -> str:
    import tempfile
    from pathlib import Path

    recipe = next(recipe for recipe in RECIPES if recipe.name == "significance")
    order = metrics_in_order(EXAMPLE.finding)
    with tempfile.TemporaryDirectory() as folder, house_style():
        drawing = recipe.draw(Scene(EXAMPLE.finding, EXAMPLE.material, EXAMPLE.labels, "naturalness", order))
        assert isinstance(drawing, Drawing)
        save(drawing.figure, Path(folder) / "figure")
        return (Path(folder) / "figure.svg").read_text()


def page(finding: Finding = EXAMPLE.finding, config_text: str | None = "a = '<u>'") -> str:
    figures = [
        Shown("one", "One", caption="Caption <s>", alt='alt "quoted"', svg=saved_figure()),
        Shown("two", "Two", caption="Caption", alt="alt", svg=saved_figure()),
        Shown("three", "Three", reason="no <s> data"),
    ]
    return render_report(finding, figures=figures, provenance=PROVENANCE, config_text=config_text)


PAGE = page()


def test_whatever_comes_from_a_file_is_escaped() -> None:
    found = Reader(PAGE)
    assert set(found.tags) & {"b", "i", "s"} == set()
    assert HOSTILE not in PAGE
    assert "&lt;b&gt;&amp;&#34;quoted&#34;" in PAGE
    assert found.tags.count("script") == 1


def test_nothing_is_asked_of_the_network() -> None:
    assert all(address.startswith("data:") for address in Reader(PAGE).addresses)
    assert not re.search(r"@import|url\((?!#)", PAGE)
    assert "default-src 'none'" in PAGE


def test_every_link_has_a_target_and_every_id_is_unique() -> None:
    found = Reader(PAGE)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    assert len(found.links) > 20


@pytest.mark.parametrize(
    "words",
    [
        "naturalness, sample by sample, by Kendall τ-b",
        "faithfulness, generator by generator",
        "undefined <small>constant scores</small>",
        "People against people",
        "A held-out rating against the mean of the others: 100% of samples.",
        "Three: no &lt;s&gt; data.",
        "Kendall’s τ-b with 1,000 bootstrap replicates over prompts",
        "sha256 ab",
        "figures/one.pdf",
        '<span class="tag">confirmatory</span>',
        '<span class="tag">exploratory</span>',
        "The best metric differs between levels",
        "AUC-ROC (≥ 4)",
        "No criterion has a cut.",
    ],
)
def test_the_page_says(words: str) -> None:
    assert words in PAGE


def test_values_carry_their_interval_and_n() -> None:
    assert re.search(
        r'<td class="number" data-v="[0-9.]+" title="n = 96; p[^"]*">0\.\d\d <small>\[0\.\d\d, 0\.\d\d\]', PAGE
    )


def test_where_nothing_was_named_all_is_exploratory() -> None:
    rows = tuple(replace(row, role="exploratory") for row in EXAMPLE.finding.correlations)
    pairs = tuple(replace(row, role="exploratory") for row in EXAMPLE.finding.comparisons)
    text = page(replace(EXAMPLE.finding, correlations=rows, comparisons=pairs, primary={}))
    assert "everything here is exploratory" in text
    assert ">confirmatory<" not in text


def test_an_empty_finding_still_makes_a_page() -> None:
    nothing = replace(
        EXAMPLE.finding, correlations=(), comparisons=(), agreement=(), listings=(), metrics=(), warnings=(), primary={}
    )
    text = page(nothing, config_text=None)
    assert "No metric could be compared with people." in text
    found = Reader(text)
    assert set(found.links) <= set(found.ids)


@pytest.mark.slow
def test_a_hundred_metrics_make_a_page_of_bearable_size() -> None:
    example = make_example(prompts=4, metrics=[f"metric_{number}" for number in range(100)])
    text = page(example.finding)
    pairs = 6 * 100 * 99 // 2
    assert f"{pairs - MOST_PAIRS:,} further pairs are in" in text
    assert text.count("metric_99</th>") >= 7
    assert len(text) < 6_000_000


def test_a_figure_takes_the_pages_colours_and_keeps_its_ids_apart() -> None:
    first, second = (inline(saved_figure(), name=name, alt="a <b>") for name in ("first", "second"))
    assert "var(--ink)" in first
    assert "#1d1b17" not in first
    assert 'aria-label="a &lt;b&gt;"' in first
    assert not set(Reader(first).ids) & set(Reader(second).ids)
    assert set(Reader(first).links) <= set(Reader(first).ids)
    assert "<metadata>" not in first
    assert "<style" not in first
