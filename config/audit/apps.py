from django.apps import AppConfig


class AuditApp(AppConfig):
    name = "config.audit"
    label = "audit"
    verbose_name = "Audit log"
