"""Any text as LaTeX: names of metrics, generators and criteria are other people's, and must neither break nor act."""

import unicodedata

from metaeval.report.numerals import MINUS

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    # Behind the end of a row these would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "→": r"$\to$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "·": r"$\cdot$",
    "²": r"$^2$",
    "³": r"$^3$",
    "°": r"$^\circ$",
    "µ": r"$\mu$",
    "∞": r"$\infty$",
    "\u00a0": "~",
    MINUS: "$-$",
}
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "η": "eta", "θ": "theta", "κ": "kappa"}
_GREEK |= {
    "λ": "lambda",
    "μ": "mu",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "χ": "chi",
    "ω": "omega",
}
_SPECIAL |= {sign: f"$\\{name}$" for sign, name in _GREEK.items()}

# What inputenc and the OT1 fonts of a plain article know: ASCII letters with these accents, and a few letters.
_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327")
_LETTERS = frozenset("ßøØæÆœŒłŁåÅ§¶©£¿¡")


def escape(text: str) -> str:
    """LaTeX that prints the text; a sign that a plain article cannot print becomes its code point."""
    return "".join(map(_escaped, " ".join(unicodedata.normalize("NFC", text).split())))


def _escaped(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign.isascii():
        return sign if sign.isprintable() else " "
    parts = unicodedata.normalize("NFD", sign)
    if sign in _LETTERS or (len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _ACCENTS):
        return sign
    return rf"\texttt{{U+{ord(sign):04X}}}"
