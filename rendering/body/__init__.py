"""Our own human: a mesh made by our own code, posed by the 22 joints of HumanML3D. Free of any body model's licence.

A pure core: no Django, no drawing. `load_body` reads the mesh, `pose_bones` and `skin` put it where the joints are. The
mesh itself is made by `python -m rendering.body.build`, which needs the extra `body`; nothing here does. `read_smpl`
takes somebody's own SMPL file in its place.
"""

from rendering.body.asset import PARTS, Body, load_body
from rendering.body.bones import BONE_NAMES
from rendering.body.normals import vertex_normals
from rendering.body.posing import pose_bones, skin
from rendering.body.smpl import BodyFormatError, read_smpl

__all__ = [
    "BONE_NAMES",
    "PARTS",
    "Body",
    "BodyFormatError",
    "load_body",
    "pose_bones",
    "read_smpl",
    "skin",
    "vertex_normals",
]
