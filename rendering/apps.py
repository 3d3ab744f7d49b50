from django.apps import AppConfig


class RenderingApp(AppConfig):
    name = "rendering"
