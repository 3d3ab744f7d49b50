"""What the documentation points to exists."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def links(page: Path) -> list[str]:
    """Relative ones, without what is only shown as code."""
    found = _LINK.findall(_CODE.sub("", page.read_text()))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    code = " ".join(_CODE.findall(page.read_text()))
    for target in re.findall(r"\bmake ([a-z][a-z-]*)", code):
        assert target in targets


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    code = re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.(?:py|md|toml|yaml|txt|html|css|js))`", page.read_text())
    for path in code:
        assert (ROOT / path).exists() or list(ROOT.glob(f"*/{path}")), path


def test_readme_fits_on_a_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 60


def test_the_numbers_of_the_demo_are_true() -> None:
    from fixtures.demo import GOLD_COUNT, OPEN_SEATS, RATERS, SEED
    from fixtures.generators import GENERATOR_NAMES
    from fixtures.human.prompts import PROMPTS

    page, readme = (ROOT / "docs" / "demo.md").read_text(), (ROOT / "README.md").read_text()
    motions = len(PROMPTS) * len(GENERATOR_NAMES)
    assert f"{motions} generated motions and {len(RATERS)} simulated raters" in readme
    rows = dict(re.findall(r"^\| ([a-z- ]+) \| (\d+)", page, re.MULTILINE))
    kinds = Counter(plan.kind.name for plan in RATERS)
    expected = {"prompts": len(PROMPTS), "generators": len(GENERATOR_NAMES), "motions": motions, "gold": GOLD_COUNT}
    expected |= {"simulated raters": len(RATERS), **kinds}
    assert {name: int(rows[name]) for name in expected} == expected
    assert f"one seed, {SEED}" in page
    assert f"{OPEN_SEATS} seats are left" in page


def test_every_page_is_reachable_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    reached, waiting = set(), [index]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if link[0] != "#"]
    assert set((ROOT / "docs").rglob("*.md")) <= reached


def test_pictures_are_small_and_used() -> None:
    pictures = list((ROOT / "docs" / "images").glob("*"))
    used = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert set(pictures) <= used
    assert all(picture.stat().st_size < 200_000 for picture in pictures)
    assert sum(picture.stat().st_size for picture in pictures) < 1_500_000
