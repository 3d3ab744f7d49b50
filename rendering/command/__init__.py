"""What `python -m rendering` does: arguments to clips for a person, a job file to a clip for a render worker.

Light at the top: heavy imports wait until the arguments are good.
"""
