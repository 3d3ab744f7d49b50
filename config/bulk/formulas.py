"""Text that a spreadsheet would run as a formula, and back.

A cell of text that begins with = + - @ (or their full-width twins, or a tab or return that hides one) gets an
apostrophe in front: spreadsheets then show it and run nothing. Reading takes exactly that apostrophe off again, so text
survives the round trip; text that itself begins with apostrophes and such a sign gets one more.
"""

import re

_RISKY = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
_NEUTRALISED = re.compile(r"'+[=+\-@\t\r＝＋－＠]")
# A name such as `-left_2.mdm` has nothing in it that a formula could do harm with.
_NAME = re.compile(r"[\w.-]+", re.ASCII)


def neutralise(text: str) -> str:
    return f"'{text}" if _RISKY.match(text) else text


def neutralise_name(name: str) -> str:
    """Names join one table to another, so they stay as they are unless they hold more than letters and digits."""
    return name if _NAME.fullmatch(name) else neutralise(name)


def restore(cell: str) -> str:
    return cell[1:] if _NEUTRALISED.match(cell) else cell
