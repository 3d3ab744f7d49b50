from django.apps import AppConfig


class ConfigApp(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Loaded in every process, so that a task sent from a web page goes to our broker.
        from config.celery import ensure_queue_folders

        ensure_queue_folders()
