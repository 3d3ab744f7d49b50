"""The append-only audit log: who changed what, in the same transaction as the change."""
