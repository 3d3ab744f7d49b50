"""A plan as plain text, for the command line."""

from metaeval.stats.power.plan import Plan, PlanRow


def render_plan_text(plan: Plan) -> str:
    """What was planned, a table of sizes from cheap to dear, and the answer."""
    lines = [_heading(plan), _pilot(plan), ""]
    name = "power" if plan.aim == "tell_apart" else "width"
    lines.append(
        f"{'prompts':>8}{'generators':>12}{'raters':>8}{'samples':>9}{name:>8}{'± mc':>8}{'HITs':>7}{'cost':>11}"
    )
    lines += [_line(row) for row in plan.rows]
    lines += ["", _answer(plan)]
    lines += [f"Warning: {warning}." for warning in plan.warnings]
    return "\n".join(lines) + "\n"


def _heading(plan: Plan) -> str:
    aim = (
        f"power of at least {plan.target:g} to tell A from B at p < .05"
        if plan.aim == "tell_apart"
        else f"95 % interval no wider than {plan.target:g}"
    )
    return (
        f"Aim: {aim}; {plan.statistic} at {plan.level} level.\n"
        f"{plan.studies} drawn studies a size, seed {plan.seed}. Test: {plan.test}.\n"
        "A size is enough where the whole 95 % interval of the simulation (± 1.96 mc) is."
    )


def _pilot(plan: Plan) -> str:
    values = ", ".join(
        f"{name} {'undefined' if value is None else format(value, '.3f')}"
        for name, value in zip("AB", plan.pilot_values, strict=False)
    )
    return (
        f"Pilot: {plan.pilot_prompts} prompts x {plan.pilot_generators} generators, {plan.pilot_raters:.2g} ratings a "
        f"sample, reliability of the labels {plan.pilot_reliability:.2f}; {values}."
    )


def _line(row: PlanRow) -> str:
    value = "undef." if row.value is None else f"{row.value:.3f}"
    error = "" if row.mc_error is None else f"{row.mc_error:.3f}"
    mark = "  enough" if row.is_sufficient else ""
    note = f"  ({row.note})" if row.note else ""
    return (
        f"{row.prompts:>8}{row.generators:>12}{row.raters:>8}{row.samples:>9}{value:>8}{error:>8}"
        f"{row.hits:>7}{row.cost:>11,.2f}{mark}{note}"
    )


def _answer(plan: Plan) -> str:
    pay = plan.pay
    fee = f" and {pay.fee:.0%} fee" if pay.fee else ""
    terms = f"{pay.samples_per_hit} samples and {pay.gold_per_hit} gold a HIT, {pay.per_hit:g} a HIT{fee}"
    best = plan.cheapest
    if best is None:
        return f"None of these sizes is enough ({terms})."
    return (
        f"Cheapest that is enough: {best.prompts} prompts x {best.generators} generators x {best.raters} raters, "
        f"{best.hits} HITs, {best.cost:,.2f} ({terms})."
    )
