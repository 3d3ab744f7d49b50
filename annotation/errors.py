"""What can go wrong for a person, said in words that can be shown to them."""


class AnnotationError(Exception):
    """A request that cannot be carried out; the message says why and what is safe."""


class NothingToRate(AnnotationError):
    """No seat is free for this rater now."""


class ShareReached(NothingToRate):
    """This rater has rated as much of the study as one person may."""


class NotYours(AnnotationError):
    """The assignment is another rater's, or no longer open."""


class TooSoon(AnnotationError):
    """Answered before the clip could have been watched; `wait` seconds are left."""

    def __init__(self, message: str, *, wait: float = 0) -> None:
        super().__init__(message)
        self.wait = wait


class NotWatched(AnnotationError):
    """Answered after the browser had played only a part of the clip."""


class AnsweredSince(AnnotationError):
    """A newer answer has arrived, from another window: `revision` and `value` are what stands."""

    def __init__(self, message: str, *, revision: int, value: int) -> None:
        super().__init__(message)
        self.revision, self.value = revision, value


class BadAnswer(AnnotationError):
    """Not an answer to the question."""
