"""When a way to aggregate does not fit the ratings."""


class AggregationRefused(ValueError):
    """The method would give labels that mean nothing for these ratings; the message says why."""
