"""Dealing samples into HITs so that each HIT has its fair part of every prompt and of every generator.

A sample joins a prompt and a generator: a study is a bipartite graph with the samples as its edges, and dealing it into
H HITs is colouring the edges in H colours. Such a graph always has a colouring in which every colour meets every vertex
as evenly as whole numbers allow (de Werra, "Equitable colorations of graphs", 1971): then a prompt is twice in a HIT
only where it has more samples than there are HITs, a generator has the same number of samples in all HITs or one more
in some, and so does every HIT. It is found by König's way: each vertex is split into parts of at most H edges, and the
parts' edges get colours of their own along alternating paths.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SampleKey:
    """What composing needs to know of a sample."""

    sample: int
    prompt: int
    generator: int


def deal(samples: Sequence[SampleKey], hands: int, rng: np.random.Generator) -> list[list[int]]:
    """Every sample in one of `hands` hands, whose sizes differ by at most one; seeded by `rng`."""
    shuffled = [samples[index] for index in rng.permutation(len(samples))]
    colouring = _Colouring(_split(shuffled, hands), hands, rng)
    colours = colouring.coloured()
    # The colours are alike: which one is the first HIT is left to chance too.
    order = rng.permutation(hands).tolist()
    dealt: list[list[int]] = [[] for _ in range(hands)]
    for key, colour in zip(shuffled, colours, strict=True):
        dealt[order[colour]].append(key.sample)
    return dealt


def _split(samples: Sequence[SampleKey], hands: int) -> list[tuple[int, int]]:
    """The two ends of each edge, as numbers of the parts into which prompts and generators were split."""
    parts: dict[tuple[str, int, int], int] = {}
    met: dict[tuple[str, int], int] = defaultdict(int)

    def part(kind: str, number: int) -> int:
        index = met[kind, number] // hands
        met[kind, number] += 1
        return parts.setdefault((kind, number, index), len(parts))

    return [(part("prompt", key.prompt), part("generator", key.generator)) for key in samples]


class _Colouring:
    """Edges get colours one after another; no two at the same vertex have the same."""

    def __init__(self, edges: Sequence[tuple[int, int]], colours: int, rng: np.random.Generator) -> None:
        self.edges = edges
        self.colours = colours
        self.rng = rng
        self.colour = [-1] * len(edges)
        # vertex -> colour -> edge
        self.at: list[dict[int, int]] = [{} for _ in range(1 + max(max(edge) for edge in edges))]
        self.taken = [0] * len(self.at)  # the same as bits, to find a free colour at once

    def coloured(self) -> list[int]:
        for edge in range(len(self.edges)):
            self._colour_edge(edge)
        self._even_out()
        return self.colour

    def _colour_edge(self, edge: int) -> None:
        one, other = self.edges[edge]
        both = self._free(one) & self._free(other)
        if not both:
            free_at_one, free_at_other = self._any(self._free(one)), self._any(self._free(other))
            # Bipartite: the path that begins at `other` with the colour free at `one` never ends at `one`.
            self._swap(other, free_at_one, free_at_other)
            both = 1 << free_at_one
        self._give(edge, self._any(both))

    def _free(self, vertex: int) -> int:
        return ~self.taken[vertex] & ((1 << self.colours) - 1)

    def _any(self, bits: int) -> int:
        """One of the colours whose bit is set: the first from a random place on, round the end."""
        start = int(self.rng.integers(self.colours))
        above = bits >> start << start
        lowest = (above or bits) & -(above or bits)
        return lowest.bit_length() - 1

    def _give(self, edge: int, colour: int) -> None:
        self.colour[edge] = colour
        for vertex in self.edges[edge]:
            self.at[vertex][colour] = edge
            self.taken[vertex] |= 1 << colour

    def _take(self, edge: int) -> None:
        colour = self.colour[edge]
        for vertex in self.edges[edge]:
            del self.at[vertex][colour]
            self.taken[vertex] &= ~(1 << colour)

    def _path(self, vertex: int, first: int, second: int) -> list[int]:
        """The edges of the two colours, in turn, from a vertex on that has no edge of `second`."""
        path = []
        while (edge := self.at[vertex].get(first)) is not None:
            path.append(edge)
            one, other = self.edges[edge]
            vertex, first, second = (other if vertex == one else one), second, first
        return path

    def _swap(self, vertex: int, first: int, second: int) -> None:
        path = self._path(vertex, first, second)
        swapped = [(edge, second if self.colour[edge] == first else first) for edge in path]
        for edge in path:
            self._take(edge)
        for edge, colour in swapped:
            self._give(edge, colour)

    def _even_out(self) -> None:
        """Sizes of colours that differ by two or more are brought nearer, by swapping paths with one edge too many."""
        sizes = [self.colour.count(colour) for colour in range(self.colours)]
        while max(sizes) - min(sizes) > 1:
            large, small = sizes.index(max(sizes)), sizes.index(min(sizes))
            surplus = max(sizes) - min(sizes)
            for vertex in self._ends(large, small)[: surplus // 2]:
                self._swap(vertex, large, small)
                sizes[large], sizes[small] = sizes[large] - 1, sizes[small] + 1

    def _ends(self, large: int, small: int) -> list[int]:
        """One end each of the paths that begin and end with an edge of the large colour."""
        ends: list[int] = []
        seen: set[int] = set()
        for vertex in self.rng.permutation(len(self.at)).tolist():
            if large not in self.at[vertex] or small in self.at[vertex]:
                continue
            path = self._path(vertex, large, small)
            if len(path) % 2 and path[0] not in seen:
                seen.update((path[0], path[-1]))
                ends.append(vertex)
        return ends
