"""How light falls, in GLSL. Units are Blender's: a sun of strength s lights a white surface with s / pi."""

from typing import Final

__all__ = ["BODY", "CASTER", "FLOOR", "GROUND_VERTEX", "WALL"]

CASTER: Final = (
    "#version 330\nin vec3 at; uniform mat4 light; void main() { gl_Position = light * vec4(at, 1); }",
    "#version 330\nvoid main() {}",
)

GROUND_VERTEX: Final = """#version 330
in vec3 at;
uniform mat4 camera; uniform mat4 light;
out vec3 place; out vec4 lit;
void main() { place = at; lit = light * vec4(at, 1); gl_Position = camera * vec4(at, 1); }"""

_LIGHT: Final = """#version 330
const float PI = 3.14159265;
uniform vec3 eye; uniform vec3 sun; uniform vec3 sun_light; uniform vec3 world;
uniform sampler2DShadow shadow_map; uniform float texel; uniform float spread;
float sunlight(vec4 lit, float bias) {
    vec3 q = lit.xyz * .5 + .5;
    if (any(lessThan(q, vec3(0))) || any(greaterThan(q, vec3(1)))) return 1.;
    float sum = 0.;
    for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
        sum += texture(shadow_map, vec3(q.xy + vec2(i, j) * texel * spread, q.z - bias));
    return sum / 9.;
}
vec3 screen(vec3 c) {
    c = clamp(c, 0., 1.);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1. / 2.4)) - .055, step(.0031308, c));
}
"""

# Lambert and GGX (Walter et al. 2007) with Schlick's Fresnel, as Blender's principled surface has them in short. Worked
# out at the vertices: they lie two or three pixels apart, and a processor that shades whole blocks of pixels for every
# such triangle takes twice as long for a picture that looks the same.
BODY: Final = (
    _LIGHT
    + """
in vec3 at; in vec3 normal; in vec3 colour;
uniform mat4 camera; uniform mat4 light;
uniform float metallic; uniform float roughness; uniform vec3 ground;
out vec3 shade;
void main() {
    vec4 lit = light * vec4(at, 1);
    vec3 n = normal, v = normalize(eye - at), h = normalize(sun + v);
    float nl = dot(n, sun), nv = max(dot(n, v), 1e-3), nh = max(dot(n, h), 0.), vh = max(dot(v, h), 0.);
    float sunny = nl > 0. ? sunlight(lit, .002 + .004 * (1. - nl)) : 0.;
    float a = roughness * roughness, a2 = a * a, d = nh * nh * (a2 - 1.) + 1.;
    vec3 f0 = mix(vec3(.04), colour, metallic);
    vec3 fresnel = f0 + (1. - f0) * pow(1. - vh, 5.);
    float k = a * .5, g = 1. / ((max(nl, 0.) * (1. - k) + k) * (nv * (1. - k) + k) * 4.);
    vec3 around = mix(ground, world, n.y * .5 + .5);
    vec3 diffuse = colour * (1. - metallic);
    vec3 mirror = f0 + (max(vec3(1. - roughness), f0) - f0) * pow(1. - nv, 5.);
    vec3 sum = diffuse * around + mirror * around;
    sum += (diffuse / PI + fresnel * g * a2 / (PI * d * d)) * sun_light * max(nl, 0.) * sunny;
    shade = screen(sum);
    gl_Position = camera * vec4(at, 1);
}""",
    "#version 330\nin vec3 shade; out vec4 picture; void main() { picture = vec4(shade, 1); }",
)

_FADE: Final = """
uniform vec2 extent; uniform float reach; uniform float alpha;
float fade(vec2 at) {
    vec2 beyond = max(abs(at) - extent, 0.);
    float near = clamp(1. - length(beyond) / reach, 0., 1.);
    return near * near * (3. - 2. * near);
}
"""

_PATTERNS: Final = """
uniform int planks; uniform float metres; uniform vec3 light_colour; uniform vec3 dark_colour;
vec3 checker(vec2 at) {
    // The pattern's mean over a pixel's box: no shimmer far away.
    vec2 p = at / metres, w = max(fwidth(p), 1e-4);
    vec2 i = 2. * (abs(fract((p - .5 * w) * .5) - .5) - abs(fract((p + .5 * w) * .5) - .5)) / w;
    return mix(light_colour, dark_colour, .5 - .5 * i.x * i.y);
}
uniform float plank_metres; uniform float plank_stagger; uniform float plank_tone[5];
vec3 boards(vec2 at) {
    // As rendering.scene.ground has them, to the letter: the same boards in every backend.
    float row = floor(at.x / metres), piece = floor(at.y / plank_metres + fract(row * plank_stagger));
    float tone = fract(
        row * (row * plank_tone[0] + piece * plank_tone[1] + plank_tone[3])
        + piece * (piece * plank_tone[2] + plank_tone[4]));
    // Where a row is narrower than a pixel, any of its tones would shimmer.
    float calm = clamp(2. - fwidth(at.x) / metres, 0., 1.);
    return mix(light_colour, dark_colour, .5 + (tone - .5) * calm);
}
"""

FLOOR: Final = (
    _LIGHT
    + _FADE
    + _PATTERNS
    + """
out vec4 picture;
in vec3 place; in vec4 lit;
uniform sampler2D contact; uniform vec2 contact_corner; uniform float contact_side;
float touched() {
    vec2 q = (place.xz - contact_corner) / contact_side;
    if (any(lessThan(q, vec2(0))) || any(greaterThan(q, vec2(1)))) return 0.;
    return textureLod(contact, q, 0.).r;
}
void main() {
    vec3 base = planks == 1 ? boards(place.xz) : checker(place.xz);
    vec3 sky = world * (1. - touched());
    vec3 light = base * (sky + sun_light / PI * max(sun.y, 0.) * sunlight(lit, .0008));
    picture = vec4(screen(mix(world, light, alpha * fade(place.xz))), 1.);
}"""
)

WALL: Final = (
    _LIGHT
    + """
out vec4 picture;
in vec3 place; in vec4 lit;
uniform vec3 colour; uniform vec3 low; uniform vec3 high; uniform float floor_metres; uniform vec3 normal;
void main() {
    vec3 around = mix(low, high, max(place.y, 0.) / length(vec2(place.y, floor_metres)));
    vec3 light = colour * (around + sun_light / PI * max(dot(normal, sun), 0.) * sunlight(lit, .001));
    picture = vec4(screen(light), 1.);
}"""
)
