"""Waking workers. A lost message costs at most one sweep's wait, so a broker that is down is logged, not raised."""

import logging

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

# Each doorbell that finds work rings again when done, so a few are enough to keep every worker busy.
MOST = 4
# The sweep rings again for whatever still waits, so an older doorbell says nothing new. Without an end they pile up
# while workers are busy: hours of rendering would leave thousands, to be heard one by one before the next job.
EXPIRES_SECONDS = 2 * settings.SWEEP_SECONDS


def ring(task: str, *, waiting: int) -> None:
    """Send `task` by name (no import, so services and tasks do not form a circle) for at most a few waiting rows."""
    try:
        for _ in range(min(waiting, MOST)):
            current_app.send_task(task, retry=False, expires=EXPIRES_SECONDS)
    except (OperationalError, OSError) as error:
        logger.warning("could not ring %s: %s", task, error)
