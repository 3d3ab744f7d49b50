"""Choosing: which samples make up a HIT, in which order, with which gold. Pure, seeded, no Django."""

from annotation.sampling.dealing import SampleKey
from annotation.sampling.hits import Composition, HitPlan, compose_hits
from annotation.sampling.order import arrange_items, draw_gold
from annotation.sampling.share import Share
from annotation.sampling.summary import CompositionSummary, HitSummary, Spread, summarise_hits

__all__ = [
    "Composition",
    "CompositionSummary",
    "HitPlan",
    "HitSummary",
    "SampleKey",
    "Share",
    "Spread",
    "arrange_items",
    "compose_hits",
    "draw_gold",
    "summarise_hits",
]
