"""The Celery app. Messages are doorbells: what there is to do stands in rows, see config.jobs."""

import logging.config
import os
from typing import Any

from celery import Celery, bootsteps, signals
from celery.worker import WorkController
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from config import logs
from config.jobs.doorbell import ring

app = Celery("touchstone")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

SWEEP_TASKS = ("rendering.tasks.render_sweep", "annotation.tasks.assignment_sweep", "metaeval.tasks.analysis_sweep")


class Sweeper(bootsteps.StartStopStep):
    """Rings every sweep at worker start and every 30 s, from each worker: sweeps are idempotent, no beat is needed."""

    requires = ("celery.worker.components:Timer",)

    def __init__(self, parent: WorkController, **options: Any) -> None:
        super().__init__(parent, **options)
        self.entry: Any = None

    def start(self, parent: WorkController) -> None:
        self.ring()
        timer: Any = parent.timer  # kombu's, which the stubs do not know
        self.entry = timer.call_repeatedly(settings.SWEEP_SECONDS, self.ring)

    def stop(self, parent: WorkController) -> None:
        if self.entry:
            self.entry.cancel()

    @staticmethod
    def ring() -> None:
        for name in SWEEP_TASKS:
            ring(name, waiting=1)  # a broker that is away is logged; the worker itself waits for it


app.steps["worker"].add(Sweeper)


@signals.setup_logging.connect
def use_the_sites_logging(**_: Any) -> None:
    logging.config.dictConfig(settings.LOGGING)


@signals.celeryd_init.connect
def make_queue_folders(**_: Any) -> None:
    """The filesystem transport does not create its own folders."""
    ensure_queue_folders()


def ensure_queue_folders() -> None:
    if settings.BROKER_URL.startswith("filesystem://"):
        for name in ("messages", "control"):
            (settings.QUEUE_DIR / name).mkdir(parents=True, exist_ok=True)


@signals.task_prerun.connect
def name_the_task_in_logs(task_id: str, **_: Any) -> None:
    logs.task_id.set(task_id)


@signals.task_postrun.connect
def forget_the_task_in_logs(**_: Any) -> None:
    logs.task_id.set("")
