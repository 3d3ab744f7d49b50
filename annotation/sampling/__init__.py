"""Choosing: which samples make up a HIT, in which order, with which gold. Pure, seeded, no Django."""

from annotation.sampling.hits import Composition, HitPlan, SampleKey, compose_hits
from annotation.sampling.order import arrange_items, draw_gold

__all__ = ["Composition", "HitPlan", "SampleKey", "arrange_items", "compose_hits", "draw_gold"]
