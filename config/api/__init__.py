"""The API under /api/v1/: what its resources have in common, and the list of them all.

Lives here: reading with filters, order and pages; the import and export endpoints; tokens; the schema and its page;
the audit log. Must not know what a resource is: each app describes its own in its `api` package.
"""
