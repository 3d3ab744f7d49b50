"""The written tables about people, recomputed from the input rows by code that shares nothing with the product's."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from metaeval.report.files import writing
from tests.metaeval.analysis.small_study import Study, study, table

Floats = NDArray[np.float64]
Rows = list[dict[str, str]]

# People's tables do not look at these, and their levels take most of the time.
QUICK = '[levels]\nwhich = ["sample"]\n[tests]\nstatistics = ["pearson"]\nlevels = ["sample"]\n'
JUDGED = QUICK + '[criteria.a]\nscale = [1, 2, 3, 4, 5]\npositive_cut = 3\n[judges.gpt]\ncriterion = "a"\n'
STATISTICS: dict[str, Callable[[Floats, Floats], float]] = {
    "pearson": lambda x, y: float(stats.pearsonr(x, y).statistic),
    "spearman": lambda x, y: float(stats.spearmanr(x, y).statistic),
    "kendall_b": lambda x, y: float(stats.kendalltau(x, y).statistic),
}


class Written:
    """A study of five prompts with gaps and a judge that answers 1 to 5, its arrays, and the tables of its analysis."""

    def __init__(self, folder: Path, config: str = JUDGED) -> None:
        folder.mkdir(exist_ok=True)
        some = _gappy(study(prompts=5, criteria=("a", "b"), seed=4))
        status, self.out = some.run(folder, config=config, permutations=0)
        assert status == 0
        self.samples = sorted({row["sample"] for row in some.ratings})
        self.prompt = np.array([sample.split(".")[0] for sample in self.samples])
        self.generator = np.array([sample.split(".")[1] for sample in self.samples])
        given = {(row["criterion"], row["rater"], row["sample"]): float(row["value"]) for row in some.ratings}
        self.ratings = {
            name: np.array(
                [[given.get((name, f"r{rater}", one), np.nan) for one in self.samples] for rater in range(3)]
            )
            for name in ("a", "b")
        }
        scores = {(row["metric"], row["sample"]): float(row["value"]) for row in some.scores}
        self.scores = {
            name: np.array([scores.get((name, one), np.nan) for one in self.samples])
            for name in ("good", "error", "noise", "gpt")
        }

    def rows(self, name: str, **wanted: str) -> Rows:
        return [row for row in table(self.out, name) if all(row[key] == value for key, value in wanted.items())]

    def row(self, name: str, **wanted: str) -> dict[str, str]:
        [found] = self.rows(name, **wanted)
        return found

    def labels(self, criterion: str) -> Floats:
        return np.asarray(np.nanmean(self.ratings[criterion], axis=0))

    def of_generators(self, values: Floats) -> Floats:
        return np.array([values[self.generator == one].mean() for one in np.unique(self.generator)])


def _gappy(some: Study) -> Study:
    """Some ratings are missing; the judge rounds what people mean, and twice gives no answer."""
    rng = np.random.default_rng(0)
    means: dict[str, list[float]] = {}
    for row in some.ratings:
        if row["criterion"] == "a":
            means.setdefault(row["sample"], []).append(row["value"])
    for place, (sample, values) in enumerate(means.items()):
        if place not in (3, 11):
            answer = float(np.clip(np.round(np.mean(values) + rng.normal()), 1, 5))
            own = {"sample": sample, "generator": sample.split(".")[1]}
            some.scores.append({**own, "metric": "gpt", "value": answer})
    some.ratings = [row for place, row in enumerate(some.ratings) if place % 17 != 5]
    return some


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    with pytest.MonkeyPatch.context() as patch:  # the folder's own fixture is for one test each
        patch.setattr(writing, "plates", lambda *_: [])
        return Written(tmp_path_factory.mktemp("people"))


def _exactly(value: float) -> object:
    return pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b"])
def test_human_rows_are_a_rating_drawn_at_random_against_the_mean_of_the_others(
    written: Written, statistic: str
) -> None:
    ratings, rng = written.ratings["a"], np.random.default_rng(99)
    people, metric = [], []
    for _ in range(300):
        held = np.array([rng.choice(np.flatnonzero(~np.isnan(column))) for column in ratings.T])
        is_held = np.arange(len(ratings))[:, None] == held
        rest = np.nanmean(np.where(is_held, np.nan, ratings), axis=0)
        people.append(STATISTICS[statistic](ratings[held, np.arange(len(held))], rest))
        metric.append(STATISTICS[statistic](written.scores["good"], rest))
    for who, drawn in (("a held-out rater", people), ("good", metric)):
        row = written.row("human_rows", criterion="a", level="sample", statistic=statistic, who=who)
        repetitions = int(row["repetitions"])
        error = np.std(drawn) * np.sqrt(1 / repetitions + 1 / len(drawn))
        assert float(row["value"]) == pytest.approx(np.mean(drawn), abs=4 * error)
        assert float(row["lowest"]) <= float(row["value"]) <= float(row["highest"])
        assert min(drawn) - 0.05 < float(row["lowest"]) < float(row["highest"]) < max(drawn) + 0.05


def test_human_rows_count_what_their_level_counts(written: Written) -> None:
    counts = {
        row["level"]: int(row["n"])
        for row in written.rows("human_rows", criterion="a", who="good", statistic="pearson")
    }
    assert counts == {"sample": 20, "prompt": 5, "generator": 4}
    row = written.row("human_rows", criterion="a", who="good", statistic="pearson", level="prompt")
    assert "of 5 prompts" in row["note"]


def _noise(ratings: Floats) -> Floats:
    """(samples,): the error variance of each sample's mean, with the variance pooled over samples."""
    counts = (~np.isnan(ratings)).sum(axis=0)
    pooled = np.nansum((ratings - np.nanmean(ratings, axis=0)) ** 2) / (counts - 1).sum()
    return np.asarray(pooled / counts)


def _reliability(written: Written, level: str, has: NDArray[np.bool_]) -> float:
    ratings, generator = written.ratings["a"][:, has], written.generator[has]
    labels, noise = np.nanmean(ratings, axis=0), _noise(ratings)
    if level == "sample":
        return float(1 - noise.mean() / labels.var(ddof=1))
    groups = [generator == one for one in np.unique(generator)]
    means = np.array([labels[group].mean() for group in groups])
    return float(1 - np.mean([noise[group].sum() / group.sum() ** 2 for group in groups]) / means.var(ddof=1))


@pytest.mark.parametrize("level", ["sample", "generator"])
def test_the_ceiling_is_the_root_of_the_reliability_of_the_mean_rating(written: Written, level: str) -> None:
    reliability = _reliability(written, level, np.ones(20, dtype=bool))
    own = {row["quantity"]: row for row in written.rows("ceiling", criterion="a", level=level, metric="")}
    assert float(own["reliability"]["value"]) == _exactly(reliability)
    assert float(own["ceiling"]["value"]) == _exactly(float(np.sqrt(reliability)))
    for metric, scores in written.scores.items():
        has = ~np.isnan(scores)
        x, y = scores[has], written.labels("a")[has]
        if level == "generator":
            groups = [written.generator[has] == one for one in np.unique(written.generator)]
            x, y = (np.array([values[group].mean() for group in groups]) for values in (x, y))
        found = STATISTICS["pearson"](x, y)
        row = written.row("ceiling", criterion="a", level=level, metric=metric)
        assert float(row["found"]) == _exactly(found)
        assert float(row["value"]) == _exactly(found / np.sqrt(_reliability(written, level, has)))


def test_between_few_generators_the_ceiling_has_a_range_and_no_bootstrap_interval(written: Written) -> None:
    rows = written.rows("ceiling", level="generator")
    assert {row["ci_method"] for row in rows if row["ci_low"]} == {"leave-one-out range"}
    assert {row["ci_method"] for row in written.rows("ceiling", level="sample")} == {"bootstrap percentile"}


def _best_threshold(scores: Floats, positive: NDArray[np.bool_], judge: Callable[..., float]) -> float:
    """Midway between scores, from the strictest to the mildest: the first of the best."""
    values = np.unique(scores)[::-1]
    candidates = [np.inf, *(values[:-1] + values[1:]) / 2, -np.inf]
    worth = [judge(positive, scores >= candidate) for candidate in candidates]
    return float(candidates[int(np.argmax(np.round(worth, 12)))])


@pytest.mark.parametrize("metric", ["good", "error", "noise", "gpt"])
def test_thresholds_are_chosen_on_the_other_prompts(written: Written, metric: str) -> None:
    """Five folds of five prompts: each prompt is judged by the threshold that the other four chose."""
    has = ~np.isnan(written.scores[metric])
    scores, prompt = written.scores[metric][has], written.prompt[has]
    positive = written.labels("a")[has] >= 3
    row = written.row("thresholds", criterion="a", metric=metric)
    for column, judge in (("f1", lambda y, p: f1_score(y, p, zero_division=0.0)), ("accuracy", accuracy_score)):
        called = np.zeros(len(scores), dtype=bool)
        for one in np.unique(prompt):
            mine = prompt == one
            called[mine] = scores[mine] >= _best_threshold(scores[~mine], positive[~mine], judge)
        assert float(row[column]) == _exactly(judge(positive, called))
    assert float(row["accuracy_majority"]) == _exactly(max(positive.mean(), 1 - positive.mean()))
    assert float(row["f1_always_positive"]) == _exactly(f1_score(positive, np.ones(len(positive), dtype=bool)))
    assert int(row["n"]) == len(scores)


def test_judges_differ_from_the_label_by_so_many_steps_of_the_scale(written: Written) -> None:
    labels, answers, ratings = written.labels("a"), written.scores["gpt"], written.ratings["a"]
    has = ~np.isnan(answers)
    constant = np.array([np.delete(labels, place).mean() for place in range(20)])
    held_out = [
        np.mean([abs(one - np.delete(said, place).mean()) for place, one in enumerate(said)])
        for said in (column[~np.isnan(column)] for column in ratings.T)
    ]
    expected = {
        "gpt": (np.abs(answers - labels)[has], np.abs(answers - labels)[has], 2),
        "constant mean": (np.abs(constant - labels), np.abs(constant - labels)[has], 0),
        "held-out rater": (np.array(held_out), np.array(held_out)[has], 0),
    }
    rows = {row["judge"]: row for row in written.rows("judges", criterion="a")}
    assert rows.keys() == expected.keys()
    for name, (differences, shared, failures) in expected.items():
        assert float(rows[name]["difference"]) == _exactly(differences.mean())
        assert float(rows[name]["scaled"]) == _exactly(differences.mean() / 4)
        assert float(rows[name]["on_shared"]) == _exactly(shared.mean())
        assert (int(rows[name]["shared"]), int(rows[name]["failures"])) == (18, failures)
        assert int(rows[name]["n"]) == len(differences)
    assert float(rows["gpt"]["bias"]) == _exactly((answers - labels)[has].mean())


@pytest.mark.parametrize("statistic", list(STATISTICS))
def test_criteria_are_correlated_over_labels_over_generators_and_within_raters(
    written: Written, statistic: str
) -> None:
    of = STATISTICS[statistic]
    a, b = written.labels("a"), written.labels("b")
    within = []
    for first, second in zip(written.ratings["a"], written.ratings["b"], strict=True):
        both = ~np.isnan(first) & ~np.isnan(second)
        within.append(of(first[both], second[both]))
    expected = {
        "sample": of(a, b),
        "generator": of(written.of_generators(a), written.of_generators(b)),
        "rating": float(np.mean(within)),
    }
    found = {row["level"]: float(row["value"]) for row in written.rows("criteria", statistic=statistic)}
    assert found == {level: _exactly(value) for level, value in expected.items()}


def test_intervals_about_people_have_the_confidence_that_was_asked_for(written: Written, tmp_path: Path) -> None:
    narrow = Written(tmp_path, JUDGED + "[resampling]\nconfidence = 0.5\n")
    for name in ("human_rows", "ceiling", "judges", "criteria"):
        pairs = [
            (mine, theirs)
            for mine, theirs in zip(narrow.rows(name), written.rows(name), strict=True)
            if theirs["ci_low"] and theirs["ci_method"] != "leave-one-out range"
        ]
        assert pairs
        for mine, theirs in pairs:
            assert float(theirs["ci_low"]) < float(mine["ci_low"]) < float(mine["ci_high"]) < float(theirs["ci_high"])


def test_users_against_an_oracle_have_the_confidence_that_was_asked_for(tmp_path: Path) -> None:
    widths = []
    for confidence in (0.5, 0.95):
        folder = tmp_path / str(confidence)
        asked = f'[labels]\noracle = "r0"\n[resampling]\nconfidence = {confidence}\n'
        rows = Written(folder, JUDGED + asked).rows("users_against_oracle", statistic="pearson")
        widths.append([float(row["ci_high"]) - float(row["ci_low"]) for row in rows])
    assert len(widths[0]) == 4
    assert all(narrow < 0.8 * wide for narrow, wide in zip(*widths, strict=True))


@pytest.mark.parametrize("aggregation", ["median", "standardised_mean"])
def test_judges_are_held_against_labels_on_their_scale(tmp_path: Path, aggregation: str) -> None:
    """Against the labels of the analysis; z-scores are on no judge's scale, and the raters' means stand in."""
    found = Written(tmp_path, JUDGED + f'[labels]\naggregation = "{aggregation}"\n')
    labels = np.nanmedian(found.ratings["a"], axis=0) if aggregation == "median" else found.labels("a")
    constant = np.array([np.delete(labels, place).mean() for place in range(20)])
    for judge, answers in (("gpt", found.scores["gpt"]), ("constant mean", constant)):
        row = found.row("judges", criterion="a", judge=judge)
        assert float(row["difference"]) == _exactly(float(np.nanmean(np.abs(answers - labels))))
        assert float(row["bias"]) == _exactly(float(np.nanmean(answers - labels)))


def test_judges_and_criteria_use_the_oracles_labels_where_there_is_one(tmp_path: Path) -> None:
    found = Written(tmp_path, JUDGED + '[labels]\noracle = "r0"\n')
    oracle, other = found.ratings["a"][0], found.ratings["b"][0]
    answers = found.scores["gpt"]
    rows = {row["judge"]: row for row in found.rows("judges", criterion="a")}
    assert float(rows["gpt"]["difference"]) == _exactly(float(np.nanmean(np.abs(answers - oracle))))
    compared = [np.abs(said[1:] - said[0]) for said in found.ratings["a"].T if not np.isnan(said[0])]
    users = [np.nanmean(differences) for differences in compared]
    assert float(rows["held-out rater"]["difference"]) == _exactly(float(np.mean(users)))
    both = ~np.isnan(oracle) & ~np.isnan(other)
    row = found.row("criteria", level="sample", statistic="pearson")
    assert float(row["value"]) == _exactly(STATISTICS["pearson"](oracle[both], other[both]))
