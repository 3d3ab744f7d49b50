"""A manifest and its motion files become samples of a study: all of them, or none and the reasons.

Here: reading the manifest, finding its files in a folder or a zip, checking every motion and writing it aside, and at
the end one short transaction. Not here: how a motion file is read (`rendering.motion`), requests, pages, commands.
"""
