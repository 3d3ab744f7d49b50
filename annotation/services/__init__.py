"""Every write to the human half, one noun a file: each function is one transaction and leaves its audit row."""
