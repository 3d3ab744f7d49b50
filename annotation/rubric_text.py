"""A rubric as text that a person writes: YAML, or JSON, which is YAML too.

Reading finds every problem it can, each with its line, the field, what was expected and what was found. The text is
read as nodes, not as Python values, so that `label: No` is the word No and every problem knows its line.
"""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, Final

import yaml

from annotation.errors import AnnotationError
from annotation.models import Rubric, Scale
from annotation.qc.derived import FormulaError, parse_formula
from annotation.rubric_presets import CriterionText, OptionText, RubricText
from config.bulk.problems import Problem, Problems, ReadingStopped, shown

LONGEST: Final = 50_000
MOST_CRITERIA: Final = 12
MOST_OPTIONS: Final = 51
# Names of other fields of the rater's form.
TAKEN_CODES: Final = frozenset({"item", "comment", "consent", "token"})

_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CODE: Final = re.compile(r"[a-z][a-z0-9_-]*")
_WHOLE: Final = re.compile(r"-?\d{1,3}")
_RUBRIC_FIELDS: Final = ("name", "title", "instructions", "criteria")
_CRITERION_FIELDS: Final = ("code", "question", "scale", "options", "formula")
_OPTION_FIELDS: Final = ("value", "label", "help")
_YES_NO: Final = (OptionText(0, "No"), OptionText(1, "Yes"))

Node = yaml.nodes.Node
Fields = dict[str, Node]


class RubricFormatError(AnnotationError):
    """A text that is no rubric; `problems` says where and why."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        first = problems[0]
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"line {first.line}: {first.field}: expected {first.expected}, found {first.found}{more}")


def rubric_read(text: str) -> RubricText:
    """The rubric that the text describes; RubricFormatError with everything that is wrong with it."""
    problems = Problems()
    rubric = None
    with suppress(ReadingStopped):
        rubric = _Reader(problems).rubric(_root(text, problems))
    if problems or rubric is None:
        raise RubricFormatError(problems.found)
    return rubric


def _root(text: str, problems: Problems) -> Node:
    if len(text) > LONGEST:
        problems.stop(1, "rubric", expected=f"at most {LONGEST:,} characters", found=f"{len(text):,}")
    if text.lstrip().startswith("{"):
        _refuse_bad_json(text, problems)
        text = text.replace("\t", "  ")  # JSON may be indented by tabs, YAML may not
    try:
        # One text that refers to itself could stand for a thousand copies.
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.events.AliasEvent):
                line = _line(event.start_mark)
                problems.stop(line, "rubric", expected="every text written out", found=f"a reference, *{event.anchor}")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = _line(error.problem_mark or error.context_mark)
        problems.stop(line, "rubric", expected="YAML or JSON", found=error.problem or "something else")
    except yaml.YAMLError as error:  # characters that no YAML may hold
        problems.stop(1, "rubric", expected="YAML or JSON", found=str(error).splitlines()[0])
    except RecursionError:
        problems.stop(1, "rubric", expected="a rubric", found="lists within lists within lists")
    if root is None:
        problems.stop(1, "rubric", expected="name, title and criteria", found="nothing")
    return root


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 1


def _refuse_bad_json(text: str, problems: Problems) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        if '"' in text.split(":", 1)[0]:  # else it is YAML in braces
            problems.stop(error.lineno, "rubric", expected="JSON", found=f"{error.msg} at column {error.colno}")
    except RecursionError:
        problems.stop(1, "rubric", expected="a rubric", found="lists within lists within lists")


class _Reader:
    """Walks the nodes; says what is wrong and goes on with something harmless."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def rubric(self, node: Node) -> RubricText:
        fields = self._fields(node, "rubric", _RUBRIC_FIELDS, needed=("name", "title", "criteria"))
        name = self._text(fields, "name", "name", most=60)
        if name and not _SLUG.fullmatch(name):
            self._say(fields["name"], "name", "small letters, digits and hyphens, like my-rubric", shown(name))
        criteria = tuple(self._criteria(fields))
        self._check_formulas(fields, criteria)
        return RubricText(
            name=name,
            title=self._text(fields, "title", "title", most=120),
            instructions=self._text(fields, "instructions", "instructions", most=4000, may_be_empty=True),
            criteria=criteria,
        )

    def _criteria(self, fields: Fields) -> Iterator[CriterionText]:
        entries = self._entries(fields, "criteria", "criteria", least=1, most=MOST_CRITERIA)
        codes: dict[str, int] = {}
        for number, node in enumerate(entries, start=1):
            found = self._criterion(node, f"criteria {number}")
            if found.code in codes and found.code:
                self._say(
                    node, f"criteria {number}.code", f"a code of its own, not that of {codes[found.code]}", found.code
                )
            codes.setdefault(found.code, number)
            yield found

    def _criterion(self, node: Node, where: str) -> CriterionText:
        fields = self._fields(node, where, _CRITERION_FIELDS, needed=("code",))
        code = self._text(fields, "code", f"{where}.code", most=60)
        if code and not _CODE.fullmatch(code):
            self._say(fields["code"], f"{where}.code", "small letters, digits, _ and -, from a letter on", shown(code))
        if code in TAKEN_CODES:
            self._say(fields["code"], f"{where}.code", "another word: the rating page uses this one", shown(code))
        formula = self._text(fields, "formula", f"{where}.formula", most=200, may_be_empty=True)
        question = self._text(fields, "question", f"{where}.question", most=300, may_be_empty=True)
        if not formula and not question and isinstance(node, yaml.MappingNode):
            self._say(node, f"{where}.question", "a question, or a formula over other criteria", "neither")
        scale = self._scale(fields, where, is_derived=bool(formula))
        return CriterionText(code, question, scale, tuple(self._options(node, fields, where, scale)), formula)

    def _scale(self, fields: Fields, where: str, *, is_derived: bool) -> Scale:
        fallback = Scale.BINARY if is_derived else Scale.LIKERT
        if "scale" not in fields:
            return fallback
        word = self._text(fields, "scale", f"{where}.scale", most=10)
        allowed = [Scale.BINARY.value] if is_derived else list(Scale.values)
        if word and word not in allowed:
            self._say(fields["scale"], f"{where}.scale", " or ".join(allowed), shown(word))
        return Scale(word) if word in allowed else fallback

    def _options(self, node: Node, fields: Fields, where: str, scale: Scale) -> Iterator[OptionText]:
        if "options" not in fields:
            if scale == Scale.BINARY:
                yield from _YES_NO
            elif isinstance(node, yaml.MappingNode):
                self._say(node, f"{where}.options", "the answers, each with value and label", "none")
            return
        values: set[int] = set()
        entries = self._entries(fields, "options", f"{where}.options", least=2, most=MOST_OPTIONS)
        for number, entry in enumerate(entries, start=1):
            option = self._option(entry, f"{where}.options {number}")
            if option is None:
                continue
            if option.value in values:
                self._say(
                    entry, f"{where}.options {number}.value", "a value that no other option has", str(option.value)
                )
            values.add(option.value)
            yield option
        if scale == Scale.BINARY and entries and values != {0, 1}:
            listed = ", ".join(map(str, sorted(values))) or "none"
            self._say(fields["options"], f"{where}.options", "the values 0 and 1, as the scale is binary", listed)

    def _option(self, node: Node, where: str) -> OptionText | None:
        fields = self._fields(node, where, _OPTION_FIELDS, needed=("value", "label"))
        value = self._text(fields, "value", f"{where}.value", most=10)
        if value and not _WHOLE.fullmatch(value):
            self._say(fields["value"], f"{where}.value", "a whole number from -999 to 999", shown(value))
            value = ""
        label = self._text(fields, "label", f"{where}.label", most=120)
        about = self._text(fields, "help", f"{where}.help", most=1000, may_be_empty=True)
        return OptionText(int(value), label, about) if value else None

    def _check_formulas(self, fields: Fields, criteria: Collection[CriterionText]) -> None:
        if criteria and all(criterion.formula for criterion in criteria):
            self._say(fields["criteria"], "criteria", "at least one question that raters are asked", "formulas alone")
        yes_no = {each.code for each in criteria if not each.formula and each.scale == Scale.BINARY}
        for number, criterion in enumerate(criteria, start=1):
            if not criterion.formula:
                continue
            try:
                parse_formula(criterion.formula, known=yes_no)
            except (FormulaError, ValueError, RecursionError, MemoryError) as error:
                node = self._child(fields["criteria"], number - 1, "formula")
                words = "and, or, not and parentheses over criteria that are asked and binary"
                self._say(node, f"criteria {number}.formula", words, str(error))

    # --- Nodes --------------------------------------------------------------------------------------------------------

    def _fields(self, node: Node, where: str, known: Collection[str], *, needed: Collection[str]) -> Fields:
        if not isinstance(node, yaml.MappingNode):
            self._say(node, where, f"{', '.join(known)}, each with a value", _kind(node))
            return {}
        fields: Fields = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else _kind(key)
            if name not in known:
                self._say(key, where, f"only {', '.join(known)}", shown(name))
            elif name in fields:
                self._say(key, f"{where}.{name}", "each field once", "it stands here again")
            else:
                fields[name] = value
        for name in needed:
            if name not in fields:
                self._say(node, f"{where}.{name}" if where != "rubric" else name, "a value", "nothing")
        return fields

    def _entries(self, fields: Fields, name: str, where: str, *, least: int, most: int) -> list[Node]:
        if name not in fields:
            return []
        node = fields[name]
        if not isinstance(node, yaml.SequenceNode):
            self._say(node, where, "a list", _kind(node))
            return []
        if not least <= len(node.value) <= most:
            self._say(node, where, f"{least} to {most} of them", str(len(node.value)))
        entries: list[Node] = node.value[:most]
        return entries

    def _text(self, fields: Fields, name: str, where: str, *, most: int, may_be_empty: bool = False) -> str:
        if name not in fields:
            return ""
        node = fields[name]
        if not isinstance(node, yaml.ScalarNode):
            self._say(node, where, "a text", _kind(node))
            return ""
        is_null = node.style is None and node.value in ("null", "~")
        text = "" if is_null else node.value.strip()
        if len(text) > most:
            self._say(node, where, f"at most {most} characters", f"{len(text)}")
        if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            self._say(node, where, "letters that can be stored", shown(text))
        if not text and not may_be_empty:
            self._say(node, where, "a text", "nothing")
        return text

    def _child(self, sequence: Node, index: int, name: str) -> Node:
        entry: Node = sequence.value[index]
        return next((value for key, value in entry.value if key.value == name), entry)

    def _say(self, node: Node, where: str, expected: str, found: str) -> None:
        self.problems.add(_line(node.start_mark), where, expected=expected, found=found)


def _kind(node: Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a group of fields"
    return "a list" if isinstance(node, yaml.SequenceNode) else shown(node.value)


# --- Writing ----------------------------------------------------------------------------------------------------------


def rubric_text_of(rubric: Rubric) -> RubricText:
    """What a stored rubric says."""
    return RubricText(
        name=rubric.name,
        title=rubric.title,
        instructions=rubric.instructions,
        criteria=tuple(
            CriterionText(
                code=criterion.code,
                question=criterion.question,
                scale=Scale(criterion.scale),
                options=tuple(
                    OptionText(option.value, option.label, option.help)
                    for option in sorted(criterion.options.all(), key=lambda option: option.value)
                ),
                formula=criterion.formula,
            )
            for criterion in rubric.criteria.prefetch_related("options").order_by("position")
        ),
    )


def rubric_write(rubric: RubricText) -> str:
    """YAML that reads back as the same rubric. Quoted as JSON quotes, which YAML understands."""
    lines = [f"name: {rubric.name}", f"title: {_quoted(rubric.title)}"]
    if rubric.instructions:
        lines.append(f"instructions: {_quoted(rubric.instructions)}")
    lines.append("criteria:")
    for criterion in rubric.criteria:
        lines.append(f"  - code: {criterion.code}")
        if criterion.question:
            lines.append(f"    question: {_quoted(criterion.question)}")
        lines.append(f"    scale: {criterion.scale}")
        if criterion.formula:
            lines.append(f"    formula: {criterion.formula}")
        lines.append("    options:")
        for option in criterion.options:
            about = f", help: {_quoted(option.help)}" if option.help else ""
            lines.append(f"      - {{value: {option.value}, label: {_quoted(option.label)}{about}}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
