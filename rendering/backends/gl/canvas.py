"""What is uploaded and drawn: the body's buffers, the maps of light, the floor, the walls and the picture."""

import math
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt

from rendering.backends.gl import shaders
from rendering.backends.gl.contact import CELLS, Contact, contact_shade
from rendering.backends.gl.matrices import Matrix, camera_matrix, sun_matrix
from rendering.body import vertex_normals
from rendering.scene.ground import PLANK_METRES, PLANK_STAGGER, PLANK_TONE, wall_sky
from rendering.scene.stage import Stage, Wall

SHADOW_PIXELS: Final = 1024
SAMPLES: Final = 4

__all__ = ["Canvas"]

Picture = npt.NDArray[np.uint8]


class Canvas:
    """Draws the frames of one stage in one OpenGL context; release it when done."""

    def __init__(self, context: moderngl.Context, stage: Stage) -> None:
        self._context, self._stage = context, stage
        self._make_maps()
        self._make_picture(stage.look.pixels)
        self._make_body()
        self._make_surroundings()

    def draw(self, frame: int, vertices: npt.NDArray[np.float32]) -> Picture:
        """One picture, (pixels, pixels, 3), the top row first."""
        self._positions.write(np.ascontiguousarray(vertices))
        self._normals.write(np.ascontiguousarray(vertex_normals(self._stage.body, vertices)))
        light, width = sun_matrix(vertices, self._stage.sun)
        self._draw_shadow(light)
        self._set_light(frame, light, width)
        self._set_contact(contact_shade(vertices))
        self._draw_picture()
        side = self._stage.look.pixels
        pixels = np.frombuffer(self._plain.read(components=3, alignment=1), np.uint8)
        return np.ascontiguousarray(pixels.reshape(side, side, 3)[::-1])

    def _make_maps(self) -> None:
        self._shadow = self._context.depth_texture((SHADOW_PIXELS, SHADOW_PIXELS))
        self._shadow.compare_func = "<="
        self._shadow.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._shadow.repeat_x = self._shadow.repeat_y = False
        self._shadow_frame = self._context.framebuffer(depth_attachment=self._shadow)
        self._contact = self._context.texture((CELLS, CELLS), 1, alignment=1)
        self._contact.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._contact.repeat_x = self._contact.repeat_y = False

    def _make_picture(self, side: int) -> None:
        size = (side, side)
        self._many = self._context.framebuffer(
            [self._context.renderbuffer(size, 4, samples=SAMPLES)],
            self._context.depth_renderbuffer(size, samples=SAMPLES),
        )
        self._plain = self._context.framebuffer([self._context.renderbuffer(size, 4)])

    def _make_body(self) -> None:
        body, context = self._stage.body, self._context
        count = len(body.vertices)
        self._positions, self._normals = context.buffer(reserve=count * 12), context.buffer(reserve=count * 12)
        colours = context.buffer(np.ascontiguousarray(self._stage.colours))
        faces = context.buffer(np.ascontiguousarray(body.faces, dtype=np.int32))
        self._body_program = context.program(*shaders.BODY)
        at, normal, colour = (self._positions, "3f", "at"), (self._normals, "3f", "normal"), (colours, "3f", "colour")
        self._body = context.vertex_array(self._body_program, [at, normal, colour], faces)
        self._caster_program = context.program(*shaders.CASTER)
        self._caster = context.vertex_array(self._caster_program, [at], faces)
        look = self._stage.look
        self._body_program["metallic"].value = look.material.metallic
        self._body_program["roughness"].value = look.material.roughness
        self._body_program["ground"].value = tuple(_ground_light(self._stage))

    def _make_surroundings(self) -> None:
        look, context = self._stage.look, self._context
        self._floor_program = program = context.program(shaders.GROUND_VERTEX, shaders.FLOOR)
        reach = self._stage.half_extent + look.floor.reach
        corners = np.array([[x, 0, z] for z in (-reach[1], reach[1]) for x in (-reach[0], reach[0])], dtype="f4")
        self._floor = context.vertex_array(program, [(context.buffer(corners), "3f", "at")])
        program["extent"].value = tuple(self._stage.half_extent)
        program["reach"].value, program["alpha"].value = look.floor.reach, look.floor.alpha
        program["planks"].value, program["metres"].value = int(look.floor.pattern == "planks"), look.floor.metres
        program["plank_metres"].value, program["plank_stagger"].value = PLANK_METRES, PLANK_STAGGER
        program["plank_tone"].value = PLANK_TONE
        program["light_colour"].value, program["dark_colour"].value = tuple(look.floor.light), tuple(look.floor.dark)
        program["shadow_map"].value, program["contact"].value = 0, 1
        self._wall_program = context.program(shaders.GROUND_VERTEX, shaders.WALL)
        self._walls = [(wall, self._wall(wall)) for wall in self._stage.walls]

    def _wall(self, wall: Wall) -> moderngl.VertexArray:
        corners = self._context.buffer(np.ascontiguousarray(wall.corners[[0, 1, 3, 2]], dtype="f4"))
        return self._context.vertex_array(self._wall_program, [(corners, "3f", "at")])

    def _set_contact(self, contact: Contact) -> None:
        self._contact.write(contact.shade)
        self._floor_program["contact_corner"].value = contact.corner
        self._floor_program["contact_side"].value = contact.side

    def _draw_shadow(self, light: Matrix) -> None:
        self._context.enable(moderngl.DEPTH_TEST)
        self._shadow_frame.use()
        self._shadow_frame.clear(depth=1.0)
        _matrix(self._caster_program, "light", light)
        self._caster.render()

    def _set_light(self, frame: int, light: Matrix, width: float) -> None:
        stage, camera = self._stage, self._stage.cameras.at(frame)
        sun = stage.look.sun
        values: dict[str, Any] = {
            "eye": tuple(camera.position),
            "sun": tuple(stage.sun),
            "sun_light": tuple(sun.strength * part for part in sun.colour),
            "world": tuple(stage.look.world),
            "shadow_map": 0,
            "texel": 1 / SHADOW_PIXELS,
            # A metre behind what casts it, the edge of a shadow is as wide as the sun is.
            "spread": max(1.0, math.tan(math.radians(sun.angle)) / 3 * SHADOW_PIXELS / width),
        }
        matrix = camera_matrix(camera)
        for program in (self._body_program, self._floor_program, self._wall_program):
            for name, value in values.items():
                if name in program:
                    program[name].value = value
            _matrix(program, "camera", matrix)
            _matrix(program, "light", light)

    def _draw_picture(self) -> None:
        world = [_screen(part) for part in self._stage.look.world]
        self._many.use()
        self._many.clear(*world, 1.0, depth=1.0)
        self._shadow.use(0)
        self._contact.use(1)
        # From the front to the back: what is hidden is not shaded.
        self._body.render()
        for wall, shape in self._walls:
            self._paint(wall)
            shape.render(moderngl.TRIANGLE_STRIP)
        self._floor.render(moderngl.TRIANGLE_STRIP)
        self._context.copy_framebuffer(self._plain, self._many)

    def _paint(self, wall: Wall) -> None:
        across, up = wall.corners[1] - wall.corners[0], wall.corners[3] - wall.corners[0]
        normal = np.cross(across, up)
        program = self._wall_program
        low, high = wall_sky(self._stage.look)
        program["low"].value, program["high"].value = tuple(low), tuple(high)
        program["colour"].value, program["floor_metres"].value = tuple(wall.colour), wall.floor_metres
        if "normal" in program:
            program["normal"].value = tuple(normal / np.linalg.norm(normal))


def _matrix(program: moderngl.Program, name: str, matrix: Matrix) -> None:
    if name in program:  # a compiler drops what a shader does not use
        program[name].write(np.ascontiguousarray(matrix.T, dtype="f4"))


def _screen(light: float) -> float:
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


def _ground_light(stage: Stage) -> npt.NDArray[np.float64]:
    """What the floor sends up to the body: its mean colour in sky and sun, as far as one sees it and not the world."""
    look = stage.look
    mean = (np.array(look.floor.light) + np.array(look.floor.dark)) / 2
    world, sun = np.array(look.world), look.sun.strength * np.array(look.sun.colour) / math.pi * stage.sun[1]
    light: npt.NDArray[np.float64] = look.floor.alpha * mean * (world + sun) + (1 - look.floor.alpha) * world
    return light
