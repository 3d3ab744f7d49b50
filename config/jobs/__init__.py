"""Work that workers claim: the row is the truth, the Celery message only a doorbell.

Lives here: the columns and the claiming, common to render jobs and analyses. Must not know what the work is.
"""
