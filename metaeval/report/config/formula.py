"""Derived criteria: `faithfulness and naturalness`, `a >= 3 and b >= 3`, `(a + b) / 2`.

Parsed by Python's own parser and walked by hand over arrays: nothing is ever executed. For `and`, `or` and `not` of
binary criteria it says the same as `annotation.qc.evaluate_formula`, which the site uses, and knows comparisons and
arithmetic besides. A name that is no identifier stands in backticks: `` `text match` >= 3 ``.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from metaeval.report.inputs.errors import shown
from metaeval.stats.design import Bools, Floats

_LONGEST = 1000
_QUOTED = re.compile(r"`([^`]+)`")
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Floats, Floats], Floats]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Floats, Floats], Bools]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_UNDERSTOOD = "and, or, not, comparisons, + - * /, numbers, criteria and parentheses"


class FormulaError(ValueError):
    """A formula that cannot be read or computed."""


@dataclass(frozen=True)
class Formula:
    """A formula over criteria; equal where the text is."""

    text: str
    tree: ast.expr = field(compare=False, repr=False)
    quoted: Mapping[str, str] = field(compare=False, repr=False)  # placeholder -> the name in backticks

    @classmethod
    def parse(cls, text: str) -> "Formula":
        quoted: dict[str, str] = {}

        def placeholder(match: re.Match[str]) -> str:
            key = f"__quoted_{len(quoted)}"
            quoted[key] = match[1].strip()
            return f" {key} "

        tree = _tree(text, _QUOTED.sub(placeholder, text).strip())
        _check(tree, text)
        formula = cls(text, tree, quoted)
        if not formula.needs:
            raise FormulaError(f"expected a formula over criteria, found {shown(text)}")
        return formula

    @property
    def needs(self) -> tuple[str, ...]:
        """The criteria in it, in order."""
        nodes = sorted(
            (node for node in ast.walk(self.tree) if isinstance(node, ast.Name)),
            key=lambda node: (node.lineno, node.col_offset),
        )
        return tuple(dict.fromkeys(self.quoted.get(node.id, node.id) for node in nodes))

    @property
    def is_boolean(self) -> bool:
        return _is_boolean(self.tree)

    def evaluate(self, values: Mapping[str, Floats], *, positives: Mapping[str, Bools] | None = None) -> Floats:
        """The formula on arrays of one length; yes and no are 1 and 0.

        A criterion that stands where yes or no belongs (`faithfulness and naturalness`) is what `positives` says of
        it: whether its value reaches its positive cut. One that is not there must be binary.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.is_boolean:
                return self._truth(self.tree, values, positives or {}).astype(np.float64)
            found = self._number(self.tree, values, positives or {})
        if not np.isfinite(found).all():
            raise FormulaError(f"expected finite numbers from {shown(self.text)}, found a division by 0 or an overflow")
        return found

    def _truth(self, node: ast.expr, values: Mapping[str, Floats], positives: Mapping[str, Bools]) -> Bools:
        match node:
            case ast.BoolOp(op=ast.And(), values=parts):
                return _all([self._truth(part, values, positives) for part in parts])
            case ast.BoolOp(values=parts):
                return ~_all([~self._truth(part, values, positives) for part in parts])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self._truth(operand, values, positives)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self._number(side, values, positives) for side in (left, *others)]
                pairs = zip(ops, sides[:-1], sides[1:], strict=True)
                return _all([_COMPARISONS[type(op)](one, other) for op, one, other in pairs])
            case ast.Name(id=key):
                return self._as_truth(self.quoted.get(key, key), values, positives)
        raise FormulaError(f"expected yes or no on both sides of and, or, not in {shown(self.text)}, found a number")

    def _as_truth(self, name: str, values: Mapping[str, Floats], positives: Mapping[str, Bools]) -> Bools:
        given = values[name]
        if name in positives:
            return positives[name]
        if odd := given[(given != 0) & (given != 1)][:1].tolist():
            raise FormulaError(
                f"{shown(self.text)}: expected 0 or 1 from {name}, found {odd[0]:g}: "
                f"compare it ({name} >= ...) or give it a positive_cut"
            )
        return np.equal(given, 1)

    def _number(self, node: ast.expr, values: Mapping[str, Floats], positives: Mapping[str, Bools]) -> Floats:
        match node:
            case ast.Name(id=key):
                return values[self.quoted.get(key, key)]
            case ast.Constant(value=int() | float() as number):
                return np.full(len(next(iter(values.values()))), float(number))
            case ast.BinOp(left=left, op=op, right=right):
                sides = [self._number(side, values, positives) for side in (left, right)]
                return _ARITHMETIC[type(op)](*sides)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand, values, positives)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._number(operand, values, positives)
        return self._truth(node, values, positives).astype(np.float64)


def _tree(text: str, prepared: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise FormulaError(f"expected a formula of at most {_LONGEST} characters, found {len(text)}")
    try:
        # In parentheses, so that a formula may be written over several lines.
        return ast.parse(f"({prepared}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise FormulaError(f"expected a formula, found {shown(text)}: {reason}") from None


def _check(tree: ast.expr, text: str) -> None:
    plain = (ast.Name, ast.Load, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.BinOp)
    known = (*plain, ast.Compare, *_ARITHMETIC, *_COMPARISONS)
    for node in ast.walk(tree):
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if not is_number and not isinstance(node, known):
            raise FormulaError(f"expected {_UNDERSTOOD}, found {type(node).__name__.lower()} in {shown(text)}")


def _is_boolean(node: ast.expr) -> bool:
    is_negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_negation or isinstance(node, ast.BoolOp | ast.Compare)


def _all(parts: list[Bools]) -> Bools:
    together: Bools = np.logical_and.reduce(parts)
    return together
