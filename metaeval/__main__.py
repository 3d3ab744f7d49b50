"""`python -m metaeval analyse RATINGS SCORES -o OUT`: the whole analysis from two files, with no server."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m metaeval")
    commands = parser.add_subparsers(dest="command", required=True)
    analyse = commands.add_parser("analyse", help="agreement, and how well each metric tracks people")
    analyse.add_argument("ratings", type=Path, help="CSV: sample, prompt, generator, rater, criterion, value")
    analyse.add_argument("scores", type=Path, help="CSV: sample, generator, metric, value (and direction)")
    analyse.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the folder to write")
    return _analyse(parser.parse_args(arguments), ["python", "-m", "metaeval", *(arguments or sys.argv[1:])])


def _analyse(options: argparse.Namespace, command: Sequence[str]) -> int:
    from metaeval.report import InputError, analyse, read_ratings, read_scores, write_report

    try:
        ratings, scores = read_ratings(options.ratings), read_scores(options.scores)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    _progress(0.2)
    finding = analyse(ratings, scores)
    _progress(0.9)
    write_report(finding, options.output, inputs=(options.ratings, options.scores), command=command)
    _progress(1.0)
    print(finding.summary, file=sys.stderr)
    return 0


def _progress(share: float) -> None:
    """For the worker that started this; a person sees the summary."""
    if not sys.stdout.isatty():
        print(json.dumps({"progress": share}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
