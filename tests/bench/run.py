"""`make bench`: our kernels beside the peers, in one run on one machine, as ratios. Writes docs/performance.md.

Every line gives both sides the same data and the same number of replicates. A peer whose whole run would take minutes
runs a stated share of it, and its time is scaled up.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import krippendorff  # noqa: E402
import numpy as np  # noqa: E402
from nlpstats.correlations.permutation import permutation_test  # noqa: E402
from scipy import stats  # noqa: E402

from metaeval.stats.agreement import alpha_replicates, krippendorff_alpha  # noqa: E402
from metaeval.stats.association import evaluate_many  # noqa: E402
from metaeval.stats.design import Design  # noqa: E402
from metaeval.stats.resampling import draw_weights  # noqa: E402
from metaeval.stats.significance import compare_metrics  # noqa: E402
from tests.bench.measure import Line, own_peak, run_apart, seconds_of  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
SEED = 3
MEMORY_LIMIT = 8 * 2**30


def alpha_bootstrap() -> Line:
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, 5, 2000)
    table = np.clip(truth + rng.integers(-1, 2, (3, 2000)), 0, 4).astype(float)
    design = Design(np.arange(2000), np.zeros(2000, dtype=np.intp))

    def ours() -> None:
        weights = draw_weights(design, unit="sample", replicates=1000, seed=SEED)
        alpha_replicates(table, weights.counts, weights.unit_of, measurement="ordinal")

    def peer() -> None:
        for _ in range(1000):
            krippendorff.alpha(table[:, rng.integers(0, 2000, 2000)], level_of_measurement="ordinal")

    return Line(
        "alpha ordinal, 3 raters x 2,000 units, 1,000-replicate bootstrap",
        "loop over `krippendorff.alpha`",
        seconds_of(peer, repeat=1),
        seconds_of(ours),
        "at least 50x",
    )


def alpha_large() -> Line:
    rng = np.random.default_rng(SEED)
    table = rng.integers(0, 101, (3, 200_000)).astype(float)
    seconds = seconds_of(lambda: krippendorff_alpha(table, measurement="interval"))
    code = (
        "import numpy as np; from metaeval.stats.agreement import krippendorff_alpha as a;"
        "a(np.random.default_rng(3).integers(0, 101, (3, 200_000)).astype(float), measurement='interval')"
    )
    _, peak, _ = run_apart(["-c", code])
    return Line(
        "alpha interval, 200,000 units x 101 values",
        _krippendorff_on(200_000),
        None,
        seconds,
        "under 2 s and 1 GB",
        f"peak {peak:.2f} GB",
    )


def _krippendorff_on(units: int) -> str:
    """The peer in a process of its own, so that it can run out of memory without taking the machine along."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY_LIMIT}, {MEMORY_LIMIT}))\n"
        "import numpy as np, krippendorff\n"
        f"table = np.random.default_rng({SEED}).integers(0, 101, (3, {units})).astype(float)\n"
        "krippendorff.alpha(table, level_of_measurement='interval')"
    )
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = end.stderr.strip().splitlines()[-1] if end.returncode else "finished"
    verdict = "MemoryError" if "MemoryError" in last else last
    return f"krippendorff with {MEMORY_LIMIT // 2**30} GB: {verdict}"


def kendall_bootstrap(samples: int, replicates: int, share: float, wanted: str) -> Line:
    rng = np.random.default_rng(SEED)
    labels = rng.integers(0, 13, samples) / 3
    scores = labels + rng.normal(size=(15, samples)) * np.linspace(1, 8, 15)[:, None]
    design = Design(np.arange(samples), np.zeros(samples, dtype=np.intp))

    def ours() -> None:
        weights = draw_weights(design, unit="sample", replicates=replicates, seed=SEED)
        evaluate_many(scores, labels, design, statistic="kendall_b", level="sample", weights=weights)

    def peer() -> None:
        for _ in range(int(replicates * share)):
            rows = rng.integers(0, samples, samples)
            for score in scores:
                stats.kendalltau(score[rows], labels[rows])

    return Line(
        f"Kendall bootstrap x {replicates:,}, 15 metrics, {samples:,} samples, 13-value labels",
        "loop over `scipy.stats.kendalltau`" + ("" if share == 1 else f" ({share:.0%} of it, scaled up)"),
        seconds_of(peer, repeat=1) / share,
        seconds_of(ours, repeat=2),
        wanted,
        f"peak of the whole process {own_peak():.2f} GB",
    )


def paired_permutation() -> Line:
    rng = np.random.default_rng(SEED)
    prompts, generators, permutations, share = 200, 10, 1000, 0.05
    labels = rng.integers(0, 13, (prompts, generators)) / 3
    first, second = (labels + rng.normal(size=labels.shape) * noise for noise in (2.0, 2.5))
    design = Design(np.repeat(np.arange(prompts), generators), np.tile(np.arange(generators), prompts))
    scores = np.stack([first.ravel(), second.ravel()])

    def ours() -> None:
        # Cell by cell, as the peer swaps; by prompt, our default, is less work.
        compare_metrics(
            scores,
            labels.ravel(),
            design,
            statistic="kendall_b",
            level="prompt",
            pairs=[(0, 1)],
            unit="sample",
            permutations=permutations,
            seed=SEED,
            stop_early=False,
        )

    def peer() -> None:
        permutation_test(first.T, second.T, labels.T, "input", "kendall", "both", n_resamples=int(permutations * share))

    return Line(
        "paired permutation x 1,000, Kendall within prompt, 200 prompts x 10 generators",
        f"nlpstats ({share:.0%} of it, scaled up)",
        seconds_of(peer, repeat=1) / share,
        seconds_of(ours),
        "at least 100x",
    )


def whole_analysis() -> Line:
    from tests.bench.whole import write_study  # makes the two files

    folder = write_study()
    command = ["-m", "metaeval", "analyse", "ratings.csv", "scores.csv", "-o", "out"]
    command[3:5] = [str(folder / "ratings.csv"), str(folder / "scores.csv")]
    command[6] = str(folder / "out")
    seconds, peak, code = run_apart(command)
    if code:
        raise SystemExit(f"the whole analysis ended with code {code}")
    return Line(
        "the whole analysis: 2,202 samples, 2 criteria, 15 metrics, 3 raters, all levels, 1,000 replicates, all pairs, "
        "9,999 permutations",
        "-",
        None,
        seconds,
        "under 5 minutes on 2 cores, under 2 GB",
        f"peak {peak:.2f} GB, report with figures included",
    )


WORK: Sequence[Callable[[], Line]] = (
    alpha_bootstrap,
    alpha_large,
    lambda: kendall_bootstrap(2000, 1000, 0.2, "at least 5x"),
    lambda: kendall_bootstrap(20_000, 1000, 0.01, "faster, under 2 GB"),
    paired_permutation,
    whole_analysis,
)


def page(lines: Sequence[Line]) -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "krippendorff", "nlpstats"))
    rows = [
        f"| {line.work} | {line.peer} | {'' if line.peer_seconds is None else f'{line.peer_seconds:.2f} s'} "
        f"| {line.seconds:.3f} s | {line.ratio} | {line.wanted} | {line.note} |"
        for line in lines
    ]
    return "\n".join(
        [
            "# Performance",
            "",
            "Written by `make bench`, which runs us and the peers in one run on one machine: read the ratios, not the",
            f"seconds. {os.cpu_count()} cores, Python {platform.python_version()}, {libraries}.",
            "",
            "| work | peer | peer's time | ours | ratio | wanted | note |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def main() -> int:
    lines = []
    for work in WORK:
        lines.append(work())
        print(f"{lines[-1].work}: {lines[-1].seconds:.3f} s {lines[-1].ratio} {lines[-1].note}", flush=True)
    PAGE.write_text(page(lines))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
