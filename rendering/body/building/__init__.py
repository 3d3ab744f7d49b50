"""Making the human: distance shapes, their mesh, and its weights. Runs once, on a developer's machine.

Needs the extra `body` (marching cubes, decimation), which the product does without: `rendering.body` reads the result.
"""
