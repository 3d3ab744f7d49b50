"""Waking workers. A lost message costs at most one sweep's wait, so a broker that is down is logged, not raised."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

# Each doorbell that finds work rings again when done, so a few are enough to keep every worker busy.
MOST = 4


def ring(task: str, *, waiting: int) -> None:
    """Send `task` by name (no import, so services and tasks do not form a circle) for at most a few waiting rows."""
    try:
        for _ in range(min(waiting, MOST)):
            current_app.send_task(task, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("could not ring %s: %s", task, error)
