"""Derived criteria: a formula of `and`, `or`, `not` over the other criteria, evaluated per rater before aggregating.

Parsed by Python's own parser and walked by hand: nothing is ever executed.
"""

import ast
from collections.abc import Collection, Mapping


class FormulaError(ValueError):
    """A formula that cannot be read; the message quotes it."""


def parse_formula(formula: str, *, known: Collection[str]) -> ast.expr:
    """The formula as a tree of known criteria joined by and, or, not."""
    try:
        tree = ast.parse(formula, mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"formula {formula!r}: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id not in known:
                raise FormulaError(f"formula {formula!r}: {node.id!r} is not one of {', '.join(sorted(known))}")
        elif not isinstance(node, ast.BoolOp | ast.UnaryOp | ast.And | ast.Or | ast.Not | ast.Load):
            raise FormulaError(f"formula {formula!r}: only and, or, not and parentheses are understood")
    return tree


def evaluate_formula(formula: str, answers: Mapping[str, int]) -> int | None:
    """1 or 0; None when an answer that it needs is missing."""
    tree = parse_formula(formula, known=answers.keys() | _names(formula))
    if not _names(formula) <= answers.keys():
        return None
    return int(_truth(tree, answers))


def _names(formula: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(formula, mode="eval")) if isinstance(node, ast.Name)}


def _truth(node: ast.expr, answers: Mapping[str, int]) -> bool:
    match node:
        case ast.Name(id=name):
            return bool(answers[name])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _truth(operand, answers)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_truth(value, answers) for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_truth(value, answers) for value in values)
    raise FormulaError(f"only and, or, not and parentheses are understood, found {ast.dump(node)}")
