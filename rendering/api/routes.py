from typing import Any

from config.api.resources import Resource
from rendering.api.clips import ClipResource
from rendering.api.jobs import RenderJobResource
from rendering.api.motions import MotionResource

ROUTES: dict[str, type[Resource[Any]]] = {
    "motions": MotionResource,
    "clips": ClipResource,
    "render-jobs": RenderJobResource,
}
