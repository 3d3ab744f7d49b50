from django.db import transaction

from config.files import store_bytes
from rendering.models import Motion
from rendering.motion import Trajectory, write_npy


def motion_file_name(content_hash: str) -> str:
    return f"motions/{content_hash[:2]}/{content_hash}.npy"


@transaction.atomic
def motion_store(*, trajectory: Trajectory, source: str) -> Motion:
    """Keep a trajectory under its content hash; storing the same one again returns the row that is there."""
    digest = trajectory.content_hash
    name = motion_file_name(digest)
    store_bytes(write_npy(trajectory), name)
    motion, _ = Motion.objects.get_or_create(
        content_hash=digest,
        defaults={"file": name, "frames": trajectory.frames, "fps": trajectory.fps, "source": source},
    )
    return motion
