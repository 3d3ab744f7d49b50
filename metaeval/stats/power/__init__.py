"""How large the next study must be, and what it costs: simulation from pilot data."""

from metaeval.stats.power.cost import Pay
from metaeval.stats.power.plan import Plan, PlanRow, Size, plan_study
from metaeval.stats.power.text import render_plan_text

__all__ = ["Pay", "Plan", "PlanRow", "Size", "plan_study", "render_plan_text"]
