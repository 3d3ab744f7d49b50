"""What can go wrong for a researcher, said in words that can be shown to them."""


class MetaevalError(Exception):
    """A request that cannot be carried out; the message says why. `field` names what it is about."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field
