"""Clips as files: pictures encoded to MP4, the poster beside it, and the whole way from a request to both.

Pure (no Django, no settings). Files are written aside and renamed, so that a half clip is never seen.
"""

from rendering.video.clip import make_clip
from rendering.video.encoder import VideoError, encoder
from rendering.video.outputs import OutputError

__all__ = ["OutputError", "VideoError", "encoder", "make_clip"]
