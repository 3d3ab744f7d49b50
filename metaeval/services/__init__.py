"""Every write to the machine half, one noun a file."""
