"""Motions, how they are drawn, and the queue that draws them.

Lives here: motions by content hash, looks and views, render jobs, clips. Must not know of prompts, studies or raters
(`annotation` does), nor import `bpy` (Blender runs in a child process with its own environment).
"""
