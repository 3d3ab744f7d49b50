"""A study of the size that the issue names, as two files: 2,202 samples, 2 criteria, 15 metrics, 3 raters."""

import csv
import tempfile
from pathlib import Path

import numpy as np

GENERATORS = [f"model-{name}" for name in "abcdef"]
PROMPTS, RATERS, METRICS = 367, 3, 15  # 367 x 6 = 2,202


def write_study(seed: int = 11) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="touchstone-bench-"))
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(PROMPTS, 1)) + np.linspace(-1, 1, len(GENERATORS)) + rng.normal(size=(PROMPTS, 6))
    with (folder / "ratings.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "prompt", "generator", "rater", "criterion", "value"])
        for criterion in ("naturalness", "faithfulness"):
            truth = quality + rng.normal(size=quality.shape)
            given = np.clip(np.rint(2 + truth[None] + rng.normal(size=(RATERS, *truth.shape))), 0, 4).astype(int)
            for (rater, prompt, generator), value in np.ndenumerate(given):
                name = GENERATORS[generator]
                writer.writerow([f"p{prompt}.{name}", f"p{prompt}", name, f"rater{rater}", criterion, value])
    with (folder / "scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "generator", "metric", "value"])
        for metric in range(METRICS):
            score = quality + rng.normal(size=quality.shape) * (1 + metric / 3)
            score = np.rint(score) if metric % 5 == 4 else score  # some metrics have few values
            for (prompt, generator), value in np.ndenumerate(score):
                name = GENERATORS[generator]
                writer.writerow([f"p{prompt}.{name}", name, f"metric_{metric:02}", repr(float(value))])
    return folder
