"""Tables for a paper. No LaTeX is at hand here, so their structure is checked: braces, columns, environments."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.report.latex import agreement_table, comparisons_table, correlations_table, escape, listing_table
from metaeval.report.results import Listing
from tests.metaeval.report.example import HOSTILE, make_example

FINDING = make_example(prompts=12).finding
TABLES = {
    "correlations": correlations_table(FINDING, "naturalness", "sample", label="correlations"),
    "cuts": correlations_table(FINDING, "naturalness", "sample", label="cuts", at_other_cuts=True),
    "generator": correlations_table(FINDING, "naturalness", "generator", label="generator"),
    "agreement": agreement_table(FINDING),
    "comparisons": comparisons_table(FINDING),
    "listing": listing_table(FINDING.listings[0], label="people"),
    "empty listing": listing_table(FINDING.listings[1], label="empty"),
}


def depths(source: str) -> int:
    """How many braces stay open; an escaped one does not count."""
    bare = re.sub(r"\\[\\{}]", "", source)
    assert all(bare[:place].count("{") >= bare[:place].count("}") for place in range(len(bare)))
    return bare.count("{") - bare.count("}")


@pytest.mark.parametrize("name", TABLES)
def test_braces_and_environments_close_and_rows_have_the_columns_that_were_announced(name: str) -> None:
    source = TABLES[name]
    assert depths(source) == 0
    assert source.count(r"\begin{table}") == source.count(r"\end{table}") >= 1
    assert re.sub(r"\\\$", "", source).count("$") % 2 == 0
    for table in source.split(r"\begin{table}")[1:]:
        found = re.search(r"\\begin\{tabular\}\{@\{\}([lcr]+)@\{\}\}", table)
        assert found is not None
        body = table[found.end() : table.index(r"\end{tabular}")]
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(found.group(1)) - 1, row


def test_labels_are_unique_within_a_file() -> None:
    for source in TABLES.values():
        labels = re.findall(r"\\label\{([^}]+)\}", source)
        assert len(labels) == len(set(labels))


def test_the_best_is_bold_the_second_underlined_and_clusters_are_letters() -> None:
    rows = [line for line in TABLES["correlations"].splitlines() if "0." in line and not line.startswith(" &")]
    assert r"& \textbf{0." in rows[0]
    assert r"& \underline{0." in rows[1]
    assert not any(mark in rows[2] for mark in (r"\textbf", r"\underline"))
    assert r"$^\mathrm{" in rows[0]


def test_the_caption_names_unit_seed_and_role() -> None:
    caption = TABLES["correlations"].split(r"\caption{")[1].splitlines()[0]
    for words in ("over prompts", "Seed 7", "Confirmatory: Kendall", "sample by sample", "n = "):
        assert words in caption
    assert "exploratory" in caption.lower()


def test_undefined_is_a_dash() -> None:
    row = next(line for line in TABLES["correlations"].splitlines() if line.startswith("constant"))
    assert "& -- &" in row


def test_long_and_wide_tables_go_on_in_further_floats() -> None:
    assert TABLES["correlations"].count(r"\begin{table}") == 2  # seven statistics
    assert TABLES["comparisons"].count(r"\begin{table}") == 3  # 105 pairs


def test_names_of_others_are_escaped() -> None:
    assert escape(HOSTILE) == r'$<$b$>$\&"quoted"$<$/b$>$ 50\% \#1\_\$x\$'
    assert escape("[CLS]* \\x{y}^~") == r"{[}CLS{]}{*} \textbackslash{}x\{y\}\textasciicircum{}\textasciitilde{}"
    assert escape("é τ 中") == r"é $\tau$ \texttt{U+4E2D}"
    assert escape("a\nb\tc") == "a b c"


@given(st.text(max_size=30))
def test_no_text_breaks_a_table(text: str) -> None:
    source = escape(text)
    assert depths(source) == 0
    assert re.sub(r"\\\$", "", source).count("$") % 2 == 0
    assert not re.search(r"(?<!\\)[&#%_]", source)
    assert "\n" not in source
    assert "\\\\" not in source
    table = listing_table(Listing("x", text, (text, "b"), ((text, 1.0), (text, None)), text), label="x")
    assert depths(table) == 0
