"""Samples of files that have no column for them: prompt x generator."""

import numpy as np

from metaeval.report.inputs.columns import NOTHING, Names
from metaeval.stats.design import Ints


def sample_name(prompt: str, generator: str) -> str:
    r"""`prompt/generator`; a slash within the prompt is written `\/`, so that no two pairs share a name."""
    return prompt.replace("\\", "\\\\").replace("/", "\\/") + "/" + generator


def crossed(prompt: Names, generator: Names) -> Names:
    """A sample for each pair that occurs, in the order of the file; none where either is missing."""
    width = len(generator.names)
    keys = prompt.codes * width + generator.codes
    keys[prompt.is_empty | generator.is_empty] = NOTHING
    unique, places, inverse = np.unique(keys, return_index=True, return_inverse=True)
    has_nothing = len(unique) > 0 and unique[0] == NOTHING
    order = np.argsort(places[1:] if has_nothing else places, kind="stable") + int(has_nothing)
    code_of: Ints = np.full(len(unique), NOTHING, dtype=np.intp)
    code_of[order] = np.arange(len(order))
    names = [sample_name(prompt.names[key // width], generator.names[key % width]) for key in unique[order].tolist()]
    return Names(tuple(names), code_of[inverse.reshape(-1)])
