"""A small study as rows of its two files: `good` follows people, `error` is better when low, `noise` is noise."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.__main__ import main

GENERATORS = ("mdm", "t2m", "momask", "reference")
Row = dict[str, Any]


@dataclass
class Study:
    ratings: list[Row]
    scores: list[Row]

    def run(
        self, folder: Path, *, config: str = "", replicates: int = 20, permutations: int = 199, seed: int = 0
    ) -> tuple[int, Path]:
        """The command's exit code and its OUT."""
        files = [_write(folder / "ratings.csv", self.ratings), _write(folder / "scores.csv", self.scores)]
        (folder / "analysis.toml").write_text(config)
        out = folder / "out"
        options = ["--config", folder / "analysis.toml", "--replicates", replicates, "--permutations", permutations]
        status = main([str(word) for word in ("analyse", *files, "-o", out, *options, "--seed", seed)])
        return status, out


def study(
    *, prompts: int = 12, generators: int = 4, raters: int = 3, criteria: Sequence[str] = ("faith",), seed: int = 0
) -> Study:
    rng = np.random.default_rng(seed)
    ratings: list[Row] = []
    scores: list[Row] = []
    for prompt in range(prompts):
        difficulty = rng.normal()
        for place, generator in enumerate(GENERATORS[:generators]):
            own = {"sample": f"p{prompt}.{generator}", "generator": generator}
            quality = 0.7 * difficulty + 0.5 * place + 0.8 * rng.normal()
            for criterion in criteria:
                for rater in range(raters):
                    value = int(np.clip(np.round(2.5 + quality + 0.6 * rng.normal()), 1, 5))
                    said = {"prompt": f"p{prompt}", "rater": f"r{rater}", "criterion": criterion, "value": value}
                    ratings.append({**own, **said})
            values = {"good": quality + 0.4 * rng.normal(), "error": -quality + rng.normal(), "noise": rng.normal()}
            scores += [{**own, "metric": metric, "value": repr(float(value))} for metric, value in values.items()]
    return Study(ratings, scores)


def table(out: Path, name: str) -> list[dict[str, str]]:
    with (out / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Sequence[Row]) -> Path:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path
