"""What runs inside Blender's own Python: builds a job's scene once, then draws one crop for every frame it is sent.

Run as a script by `.venv-render`; it imports nothing of ours, so that Blender stays behind a process border.
Started with the job's folder. Standard input brings frames (`FRAME`, then the vertices), standard output answers one
byte for every picture that lies in the folder.
"""

import json
import math
import os
import struct
import sys
from pathlib import Path
from typing import Any, BinaryIO

import bpy
import numpy as np
from mathutils import Matrix, Vector

GRID_CELLS = 128
FRAME = struct.Struct("<i3d4i")  # number, camera's position, crop: left, bottom, right, top in pixels from below


def main(folder: Path) -> None:
    # Blender prints a line a frame: what it says goes to the log, the answers keep the pipe.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    job = json.loads((folder / "job.json").read_text())
    with np.load(folder / "job.npz", allow_pickle=False) as arrays:
        body, axes = build(job, dict(arrays)), z_up(arrays["axes"])
    size = body.vertices.__len__() * 12
    while (head := read_all(sys.stdin.buffer, FRAME.size)) is not None:
        number, *place = FRAME.unpack(head)
        vertices = read_all(sys.stdin.buffer, size)
        if vertices is None:
            return
        body.vertices.foreach_set("co", z_up(np.frombuffer(vertices, "<f4").reshape(-1, 3)).ravel())
        body.update()
        aim(job, axes, np.array(place[:3]), place[3:])
        bpy.context.scene.render.filepath = str(folder / f"{number}.png")
        bpy.ops.render.render(write_still=True)
        answers.write(b".")


def read_all(source: BinaryIO, size: int) -> bytes | None:
    """`size` bytes, or None where the other side has closed."""
    found = source.read(size)
    return found if len(found) == size else None


def z_up(points: Any) -> Any:
    """Our Y up to Blender's Z up."""
    return np.ascontiguousarray(np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1))


def build(job: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """The scene; the body's mesh, whose vertices change from frame to frame."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    set_up_render(job)
    set_up_light(job)
    body = new_mesh("body", arrays["vertices"], arrays["faces"])
    body.shade_smooth()
    colours = body.attributes.new("colour", "FLOAT_COLOR", "POINT")
    opaque = np.concatenate([arrays["colours"], np.ones((len(arrays["colours"]), 1))], axis=1)
    colours.data.foreach_set("color", opaque.astype(np.float32).ravel())
    body.materials.append(body_material(job))
    floor = new_mesh("floor", *grid(job))
    share = floor.attributes.new("share", "FLOAT", "POINT")
    share.data.foreach_set("value", fade(job, grid(job)[0]).astype(np.float32))
    floor.materials.append(floor_material(job))
    for at, (corners, colour) in enumerate(zip(arrays["walls"], job["wall_colours"], strict=True)):
        wall = new_mesh(f"wall {at}", corners, np.array([[0, 1, 2], [0, 2, 3]]))
        wall.materials.append(matt_material(f"wall {at}", colour))
        # A wall between the sun and the body must not put it in the dark: walls are seen, and take no light away.
        seen = bpy.data.objects[f"wall {at}"]
        seen.visible_shadow = seen.visible_diffuse = seen.visible_glossy = seen.visible_transmission = False
    camera = bpy.data.cameras.new("camera")
    camera.sensor_width, camera.lens = 36.0, 18.0 * job["focal"]
    camera.clip_start, camera.clip_end = 0.01, 1e5
    bpy.context.scene.camera = bpy.data.objects.new("camera", camera)
    bpy.context.scene.collection.objects.link(bpy.context.scene.camera)
    return body


def set_up_render(job: dict[str, Any]) -> None:
    scene = bpy.context.scene
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x = render.resolution_y = job["pixels"]
    render.resolution_percentage = 100
    render.use_compositing = render.use_sequencer = False
    render.use_border = render.use_crop_to_border = True
    render.dither_intensity = 0.0
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGB"
    render.image_settings.compression = 0
    render.use_persistent_data = True
    scene.view_settings.view_transform = "Standard"
    cycles.device = "CPU"
    cycles.samples = job["samples"]
    cycles.seed = 0  # the same motion gives the same picture
    cycles.use_adaptive_sampling = cycles.use_light_tree = cycles.use_auto_tile = False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 2, 1, 1
    cycles.transmission_bounces = cycles.volume_bounces = 0
    cycles.transparent_max_bounces = 4
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.use_denoising = job["denoise"]
    if job["denoise"]:
        cycles.denoiser = "OPENIMAGEDENOISE"
        cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL"
        cycles.denoising_prefilter = cycles.denoising_quality = "FAST"


def set_up_light(job: dict[str, Any]) -> None:
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    nodes = scene.world.node_tree.nodes
    nodes.clear()
    background, output = nodes.new("ShaderNodeBackground"), nodes.new("ShaderNodeOutputWorld")
    background.inputs["Color"].default_value = (*job["world"], 1)
    background.inputs["Strength"].default_value = 1.0
    scene.world.node_tree.links.new(background.outputs[0], output.inputs["Surface"])
    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.color, light.angle = job["sun_strength"], job["sun_colour"], math.radians(job["sun_angle"])
    sun = bpy.data.objects.new("sun", light)
    sun.rotation_euler = Vector(z_up(np.array(job["sun"])).tolist()).to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(sun)


def new_mesh(name: str, vertices: Any, faces: Any) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", z_up(vertices).astype(np.float32).ravel())
    mesh.loops.add(3 * len(faces))
    mesh.loops.foreach_set("vertex_index", faces.astype(np.int32).ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * len(faces), 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))
    return mesh


def grid(job: dict[str, Any]) -> tuple[Any, Any]:
    """The floor as vertices and triangles: fine enough that what is worked out at the vertices is smooth between."""
    (wide, deep), cells = (half + job["floor_reach"] for half in job["half_extent"]), GRID_CELLS
    x, z = np.meshgrid(np.linspace(-wide, wide, cells + 1), np.linspace(deep, -deep, cells + 1))
    vertices = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    right, above, beyond = corner + 1, corner + cells + 1, corner + cells + 2
    return vertices, np.concatenate([np.stack([corner, right, beyond], 1), np.stack([corner, beyond, above], 1)])


def fade(job: dict[str, Any], places: Any) -> Any:
    """How much of the floor is seen at some places, and not the world behind it: as rendering.scene.ground has it."""
    beyond = np.maximum(np.abs(places[:, [0, 2]]) - job["half_extent"], 0)
    near = np.clip(1 - np.hypot(*beyond.T) / job["floor_reach"], 0, 1)
    return near * near * (3 - 2 * near) * job["floor_alpha"]


def new_material(name: str) -> tuple[Any, Any]:
    """A material without nodes but its output, and that output's input."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes.clear()
    return material, material.node_tree.nodes.new("ShaderNodeOutputMaterial").inputs["Surface"]


def body_material(job: dict[str, Any]) -> Any:
    material, surface = new_material("body")
    tree = material.node_tree
    principled, colour = tree.nodes.new("ShaderNodeBsdfPrincipled"), tree.nodes.new("ShaderNodeAttribute")
    colour.attribute_name = "colour"
    principled.inputs["Metallic"].default_value = job["metallic"]
    principled.inputs["Roughness"].default_value = job["roughness"]
    tree.links.new(colour.outputs["Color"], principled.inputs["Base Color"])
    tree.links.new(principled.outputs[0], surface)
    return material


def matt_material(name: str, colour: list[float]) -> Any:
    material, surface = new_material(name)
    diffuse = material.node_tree.nodes.new("ShaderNodeBsdfDiffuse")
    diffuse.inputs["Color"].default_value = (*colour, 1)
    material.node_tree.links.new(diffuse.outputs[0], surface)
    return material


def floor_material(job: dict[str, Any]) -> Any:
    """Matt, with the pattern and the fade as sums, as rendering.scene.ground has them.

    Behind the floor is the world's one colour: what shines through is that colour as light of its own. A transparent
    surface would look the same, but is drawn by chance, and few samples leave specks that no denoiser takes away.
    """
    material, surface = new_material("floor")
    material.cycles.emission_sampling = "NONE"  # it lights nothing that the world does not light as well
    nodes, links = material.node_tree.nodes, material.node_tree.links
    place = nodes.new("ShaderNodeNewGeometry").outputs["Position"]
    pattern = (planks if job["floor_pattern"] == "planks" else checker)(job, material.node_tree, place)
    attribute = nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = "share"
    share = attribute.outputs["Fac"]
    diffuse, through = nodes.new("ShaderNodeBsdfDiffuse"), nodes.new("ShaderNodeEmission")
    links.new(mixed(nodes, links, share, (0, 0, 0), pattern), diffuse.inputs["Color"])
    links.new(mixed(nodes, links, share, job["world"], (0, 0, 0)), through.inputs["Color"])
    both = nodes.new("ShaderNodeAddShader")
    links.new(through.outputs[0], both.inputs[0])
    links.new(diffuse.outputs[0], both.inputs[1])
    links.new(both.outputs[0], surface)
    return material


def mixed(nodes: Any, links: Any, share: Any, *colours: Any) -> Any:
    """From the first colour (share 0) to the second (share 1); each a triple or a socket."""
    mix = nodes.new("ShaderNodeMixRGB")
    links.new(share, mix.inputs[0])
    for socket, colour in zip(mix.inputs[1:], colours, strict=True):
        if isinstance(colour, list | tuple):
            socket.default_value = (*colour, 1)
        else:
            links.new(colour, socket)
    return mix.outputs[0]


class Sums:
    """Arithmetic as shader nodes: `sums("ADD", a, b)` is a socket with the result."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def __call__(self, operation: str, *values: Any) -> Any:
        node = self.tree.nodes.new("ShaderNodeMath")
        node.operation = operation
        for socket, value in zip(node.inputs, values, strict=False):
            if isinstance(value, float):
                socket.default_value = value
            else:
                self.tree.links.new(value, socket)
        return node.outputs[0]


def checker(job: dict[str, Any], tree: Any, place: Any) -> Any:
    """Its colour. Half a check above the floor, so that rounding at a height of nothing cannot turn it over."""
    raised, check = tree.nodes.new("ShaderNodeVectorMath"), tree.nodes.new("ShaderNodeTexChecker")
    raised.operation = "MULTIPLY_ADD"
    side = 1 / job["floor_metres"]
    raised.inputs[1].default_value, raised.inputs[2].default_value = (side, side, 0), (0, 0, 0.5)
    tree.links.new(place, raised.inputs[0])
    tree.links.new(raised.outputs[0], check.inputs["Vector"])
    check.inputs["Scale"].default_value = 1.0
    for name, colour in (("Color1", job["floor_light"]), ("Color2", job["floor_dark"])):
        check.inputs[name].default_value = (*colour, 1)
    return check.outputs["Color"]


def planks(job: dict[str, Any], tree: Any, place: Any) -> Any:
    """Their colour, with a tone for every board, by the sums of rendering.scene.ground."""
    sums, axes = Sums(tree), tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(place, axes.inputs[0])
    x, z = axes.outputs["X"], sums("MULTIPLY", axes.outputs["Y"], -1.0)
    rows, both, pieces, by_row, by_piece = job["plank_tone"]
    row = sums("FLOOR", sums("MULTIPLY", x, 1 / job["floor_metres"]))
    shift = sums("FRACT", sums("MULTIPLY", row, job["plank_stagger"]))
    piece = sums("FLOOR", sums("ADD", sums("MULTIPLY", z, 1 / job["plank_metres"]), shift))
    of_row = sums("ADD", sums("MULTIPLY", row, rows), sums("MULTIPLY", piece, both))
    of_piece = sums("ADD", sums("MULTIPLY", piece, pieces), by_piece)
    products = (sums("MULTIPLY", row, sums("ADD", of_row, by_row)), sums("MULTIPLY", piece, of_piece))
    tone = sums("FRACT", sums("ADD", *products))
    return mixed(tree.nodes, tree.links, tone, job["floor_light"], job["floor_dark"])


def aim(job: dict[str, Any], axes: Any, position: Any, crop: list[int]) -> None:
    """Put the camera where it belongs and choose the part of the picture to draw."""
    scene = bpy.context.scene
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2], matrix[:3, 3] = axes[0], axes[1], -axes[2], z_up(position)
    scene.camera.matrix_world = Matrix(matrix.tolist())
    render, side = scene.render, job["pixels"]
    # A hundredth of a pixel inside its border: Blender cuts down to whole pixels.
    render.border_min_x, render.border_min_y = (crop[0] + 0.01) / side, (crop[1] + 0.01) / side
    render.border_max_x, render.border_max_y = (crop[2] + 0.01) / side, (crop[3] + 0.01) / side


if __name__ == "__main__":
    main(Path(sys.argv[1]))
