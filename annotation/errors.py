"""What can go wrong for a person, said in words that can be shown to them."""


class AnnotationError(Exception):
    """A request that cannot be carried out; the message says why and what is safe."""


class NothingToRate(AnnotationError):
    """No seat is free for this rater now."""


class NotYours(AnnotationError):
    """The assignment is another rater's, or no longer open."""


class TooSoon(AnnotationError):
    """Answered before the clip could have been watched."""


class BadAnswer(AnnotationError):
    """Not an answer to the question."""
