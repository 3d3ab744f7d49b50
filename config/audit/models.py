from typing import ClassVar

from django.db import models

from config.constraints import not_empty


class AuditEvent(models.Model):
    """One thing that happened. The database refuses to change or delete it."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    # A name, not a foreign key: the log outlives the accounts it speaks of.
    actor = models.CharField(max_length=200, help_text="user:<name>, rater:<pseudonym>, worker:<host> or system")
    action = models.CharField(max_length=60, help_text="noun.verb, for instance assignment.submitted")
    subject = models.CharField(max_length=100, db_index=True, help_text="app.model:primary key")
    details = models.JSONField(default=dict, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            not_empty("actor", "audit_event_has_actor"),
            not_empty("action", "audit_event_has_action"),
            not_empty("subject", "audit_event_has_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject} by {self.actor}"
