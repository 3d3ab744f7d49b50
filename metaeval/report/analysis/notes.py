"""Notes beside a value. Only a value that is missing is "undefined"; a missing interval or p says so by name."""

REASON = "undefined: "


def no_interval(note: str) -> str:
    return _renamed(note, "no interval: ")


def no_p(note: str) -> str:
    return _renamed(note, "no p: ")


def joined(*notes: str) -> str:
    return "; ".join(dict.fromkeys(note for note in notes if note))


def with_reference(value: float | None) -> str:
    """What a value would be that leaves the reference out, were it not."""
    return "" if value is None else f"{value:.3f} with the reference"


def _renamed(note: str, what: str) -> str:
    return what + note.removeprefix(REASON) if note.startswith(REASON) else note
