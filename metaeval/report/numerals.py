"""How numbers are printed for people: as many digits as mean something, and true minus signs."""

MINUS = "\N{MINUS SIGN}"


def number(value: float | int | None, *, digits: int = 2) -> str:
    """0.47; counts without decimals, large values with separators, none as an empty text."""
    if value is None:
        return ""
    if isinstance(value, int) or (abs(value) >= 1000 and float(value).is_integer()):
        return _signed(f"{value:,.0f}")
    if abs(value) >= 1000:
        return _signed(f"{value:,.1f}")
    if value and abs(value) < 0.5 * 10**-digits:
        return _signed(f"{value:.1e}")
    return _signed(f"{value:.{digits}f}")


def interval(low: float | None, high: float | None, *, digits: int = 2) -> str:
    """[0.41, 0.52], or nothing where there is no interval."""
    if low is None or high is None:
        return ""
    return f"[{_bound(low, digits)}, {_bound(high, digits)}]"


def with_interval(value: float | None, low: float | None, high: float | None, *, digits: int = 2) -> str:
    return " ".join(part for part in (_bound(value, digits), interval(low, high, digits=digits)) if part)


def probability(p: float | None) -> str:
    """0.034; below a thousandth "< 0.001", because Monte Carlo p-values carry no more."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def count_range(counts: list[int]) -> str:
    """One count, or from the least to the most."""
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _bound(value: float | None, digits: int) -> str:
    """Fixed decimals, so that columns align; −0.00 is 0.00."""
    if value is None:
        return ""
    if abs(value) >= 1000:
        return number(value, digits=digits)
    text = f"{value:.{digits}f}"
    return _signed(text if float(text) else text.lstrip("-"))


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
