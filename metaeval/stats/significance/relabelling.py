"""Which sample's label each sample gets: permutations that cut the link with the scores and keep the clusters.

Labels of one prompt are alike, and so are its scores. Were labels shuffled freely, that likeness would pass for
evidence of association; so whole prompts move.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from metaeval.stats.design import Design, Ints
from metaeval.stats.significance.groups import groups_by_size

__all__ = ["Sources", "draw_sources"]

# (B, n): the sample whose label each sample gets in each of B permutations.
Sources = npt.NDArray[np.int32]
BLOCK = 4_000_000


def draw_sources(design: Design, *, level: str, permutations: int, seed: int) -> Iterator[Sources]:
    """Blocks of permutations.

    `sample`: the labels of a prompt go, as a block and shuffled within it, to a prompt that has as many samples.
    `prompt`: labels are shuffled within each prompt. `within_generator`: the labels of a prompt go to a prompt that has
    the same generators, each to its own generator.
    """
    rng = np.random.default_rng(seed)
    classes = _same_generators(design) if level == "within_generator" else groups_by_size(design.prompt, 1)
    step = max(1, BLOCK // max(1, design.size))
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        sources = np.empty((rows, design.size), dtype=np.int32)
        for members in classes:
            sources[:, members.T] = _permuted(members.T.astype(np.int32), rows, level, rng)
        yield sources


def movable(design: Design, level: str) -> int:
    """How many prompts have another prompt to exchange labels with."""
    classes = _same_generators(design) if level == "within_generator" else groups_by_size(design.prompt, 1)
    return sum(members.shape[1] for members in classes if members.shape[1] > 1)


def _permuted(blocks: npt.NDArray[np.int32], rows: int, level: str, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """(prompts, size) -> (rows, prompts, size)."""
    prompts, size = blocks.shape
    taken = np.broadcast_to(blocks, (rows, prompts, size))
    if level != "prompt" and prompts > 1:
        taken = blocks[rng.random((rows, prompts), dtype=np.float32).argsort(axis=1)]
    if level != "within_generator" and size > 1:
        within = rng.random((rows, prompts, size), dtype=np.float32).argsort(axis=2)
        taken = np.take_along_axis(taken, within, axis=2)
    return taken


def _same_generators(design: Design) -> list[Ints]:
    """Prompts that have the same generators, as (size, prompts), each prompt's samples in the order of generators."""
    found: dict[bytes, list[Ints]] = {}
    order = np.lexsort((design.generator, design.prompt))
    for members in np.split(order, np.flatnonzero(np.diff(design.prompt[order])) + 1):
        found.setdefault(design.generator[members].tobytes(), []).append(members)
    return [np.stack(members, axis=1) for members in found.values()]
