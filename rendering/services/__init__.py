"""Every write to motions, clips and render jobs."""
