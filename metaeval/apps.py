from django.apps import AppConfig


class MetaevalApp(AppConfig):
    name = "metaeval"
    verbose_name = "Meta-evaluation"
