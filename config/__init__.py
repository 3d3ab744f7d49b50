"""Wiring: settings, urls, the Celery app; and what all three apps stand on (audit log, job rows, database rules).

Must not know any word of the domain: no prompts, motions or ratings here.
"""
