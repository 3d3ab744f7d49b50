"""What needs two files and no server.

`python -m metaeval analyse RATINGS SCORES -o OUT`: how well does each metric track people?
`python -m metaeval plan RATINGS SCORES --metrics A B`: how large must a study be to tell A from B?
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ANALYSIS_SHARE = 0.9  # of the progress bar; the rest is figures and files


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="python -m metaeval")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_analyse(commands)
    _add_plan(commands)
    options = parser.parse_args(given)
    run: Callable[[argparse.Namespace, Sequence[str]], int] = options.run
    return run(options, ["python", "-m", "metaeval", *given])


def _add_analyse(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "analyse",
        help="agreement, and how well each metric tracks people",
        description="Ratings and scores are CSV, JSONL or Parquet in long form: see docs/analysis-config.md.",
    )
    command.add_argument("ratings", type=Path, help="sample, prompt, generator, rater, criterion, value")
    command.add_argument("scores", type=Path, help="sample, generator, metric, value (and direction)")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the folder to write")
    command.add_argument("--config", type=Path, metavar="FILE", help="analysis.toml: what is primary, cuts, directions")
    command.add_argument("--replicates", type=int, metavar="N", help="bootstrap replicates (1000)")
    command.add_argument("--permutations", type=int, metavar="N", help="permutations of each test (9999)")
    command.add_argument("--seed", type=int, metavar="N", help="seed of every random choice (0)")
    command.set_defaults(run=_analyse)


def _analyse(options: argparse.Namespace, command: Sequence[str]) -> int:
    # Imported here: `--help` and a mistyped option should not wait for SciPy.
    from metaeval.report.analysis import analyse
    from metaeval.report.config import AnalysisConfig, read_config
    from metaeval.report.files import FolderError, write_report
    from metaeval.report.filters import filter_steps
    from metaeval.report.inputs import InputError, read_ratings, read_scores

    try:
        _check_counts(options)
        config = read_config(options.config) if options.config else AnalysisConfig()
        config = config.with_resampling(
            seed=options.seed, replicates=options.replicates, permutations=options.permutations
        )
        _progress(0.0, "reading the files", 0, 0)
        steps = filter_steps(read_ratings(options.ratings), read_scores(options.scores), config)
        outcome = analyse(steps, config, report=_progress, share=ANALYSIS_SHARE)
        write_report(
            outcome.finding,
            outcome.material,
            outcome.labels,
            options.output,
            inputs=(options.ratings, options.scores),
            command=command,
            config_text=config.to_toml(),
            progress=lambda share, doing: _progress(ANALYSIS_SHARE + (1 - ANALYSIS_SHARE) * share, doing, 0, 0),
        )
    except (InputError, FolderError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    _progress(1.0, "done", 0, 0)
    print(outcome.finding.summary, file=sys.stderr)
    for warning in outcome.finding.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"report: {options.output / 'report.html'}", file=sys.stderr)
    return 0


def _check_counts(options: argparse.Namespace) -> None:
    from metaeval.report.inputs import InputError

    for name in ("replicates", "permutations", "seed"):
        value = getattr(options, name)
        if value is not None and value < 0:
            raise InputError(f"--{name}: expected an integer from 0, found {value}")


def _add_plan(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "plan",
        help="how many prompts, generators and raters a study needs, from a pilot, and what it costs",
        description="By simulation from the pilot's own ratings and scores.",
    )
    command.add_argument("ratings", type=Path, help="the pilot's ratings")
    command.add_argument("scores", type=Path, help="the pilot's scores")
    command.add_argument("--metrics", nargs="+", required=True, metavar="NAME", help="two to tell apart, or one")
    command.add_argument("--width", type=float, metavar="W", help="of one metric: an interval no wider than this")
    command.add_argument("--power", type=float, default=0.8, metavar="P", help="of two metrics (0.8)")
    command.add_argument("--criterion", metavar="NAME", help="needed where there are several")
    command.add_argument("--statistic", default="spearman", help="(spearman)")
    command.add_argument("--level", default="sample", choices=("sample", "prompt", "generator"), help="(sample)")
    command.add_argument(
        "--prompts", type=int, nargs="+", default=(), metavar="N", help="sizes to try (50 100 200 400)"
    )
    command.add_argument("--generators", type=int, nargs="+", default=(), metavar="N", help="(as in the pilot)")
    command.add_argument("--raters", type=int, nargs="+", default=(), metavar="N", help="ratings a sample (1 3 5)")
    command.add_argument("--pay", type=float, default=1.25, metavar="X", help="per HIT (1.25)")
    command.add_argument("--fee", type=float, default=0.0, metavar="X", help="the platform's share on top (0)")
    command.add_argument("--samples-per-hit", type=int, default=20, metavar="N", help="besides 5 gold (20)")
    command.add_argument("--studies", type=int, default=200, metavar="N", help="drawn for each size (200)")
    command.add_argument("--config", type=Path, metavar="FILE", help="analysis.toml")
    command.add_argument("--seed", type=int, metavar="N", help="(0)")
    command.set_defaults(run=_plan)


def _plan(options: argparse.Namespace, command: Sequence[str]) -> int:
    from metaeval.report.config import AnalysisConfig, read_config
    from metaeval.report.inputs import InputError
    from metaeval.report.planning import plan_from_files
    from metaeval.stats.power import Pay, render_plan_text

    try:
        config = read_config(options.config) if options.config else AnalysisConfig()
        plan = plan_from_files(
            options.ratings,
            options.scores,
            config.with_resampling(seed=options.seed),
            metrics=options.metrics,
            criterion=options.criterion,
            width=options.width,
            power=options.power,
            statistic=options.statistic,
            level=options.level,
            sizes=(options.prompts, options.generators, options.raters),
            pay=Pay(samples_per_hit=options.samples_per_hit, per_hit=options.pay, fee=options.fee),
            studies=options.studies,
        )
    except (InputError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(render_plan_text(plan), end="")
    return 0


def _progress(share: float, doing: str, done: int, of: int) -> None:
    """JSON lines for the worker that started this; one line that is written over for a person."""
    if not sys.stdout.isatty():
        print(json.dumps({"progress": round(share, 4), "doing": doing, "done": done, "of": of}), flush=True)
    else:
        print(f"\r\033[K{share:4.0%}  {doing}", end="\n" if share >= 1 else "", flush=True)


if __name__ == "__main__":
    sys.exit(main())
