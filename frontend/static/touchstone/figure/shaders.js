// GLSL. A bone is three rows of four: 40 bones are 120 of the 256 vectors that every WebGL 2 has.
const SKIN = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 boneIndices;
layout(location = 3) in vec4 boneWeights;
layout(location = 4) in uint part;
uniform vec4 bones[120];
uniform mat4 camera;
void skin(out vec3 at, out vec3 facing) {
  vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
  for (int i = 0; i < 4; i++) {
    int bone = int(boneIndices[i]) * 3;
    x += boneWeights[i] * bones[bone];
    y += boneWeights[i] * bones[bone + 1];
    z += boneWeights[i] * bones[bone + 2];
  }
  vec4 rest = vec4(place, 1.0);
  at = vec3(dot(x, rest), dot(y, rest), dot(z, rest));
  facing = vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
}`;

export const body = {
  vertex: `${SKIN}
uniform vec3 palette[9];
out vec3 facing;
out vec3 at;
out vec3 tint;
void main() {
  skin(at, facing);
  tint = palette[part];
  gl_Position = camera * vec4(at, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 facing;
in vec3 at;
in vec3 tint;
uniform vec3 eye;
out vec4 colour;
void main() {
  vec3 n = normalize(facing);
  float key = max(dot(n, normalize(vec3(0.5, 0.8, 0.6))), 0.0);
  float sky = 0.5 + 0.5 * n.y;
  float rim = pow(1.0 - max(dot(n, normalize(eye - at)), 0.0), 3.0);
  colour = vec4(tint * (0.34 + 0.3 * sky + 0.55 * key) + 0.12 * rim, 1.0);
}`,
};

// The shadow: the body laid on the floor along the light.
export const shadow = {
  vertex: `${SKIN}
uniform float ground;
void main() {
  vec3 at, facing;
  skin(at, facing);
  float high = max(at.y - ground, 0.0);
  gl_Position = camera * vec4(at.x - 0.35 * high, ground, at.z - 0.4 * high, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
uniform vec4 ink;
out vec4 colour;
void main() { colour = ink; }`,
};

export const floor = {
  vertex: `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 centre;
uniform float reach;
out vec2 at;
out vec2 offset;
void main() {
  offset = corner;
  at = centre.xz + corner * reach;
  gl_Position = camera * vec4(at.x, centre.y, at.y, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec2 at;
in vec2 offset;
uniform float tile;
uniform vec3 line;
out vec4 colour;
void main() {
  vec2 places = at / tile;
  vec2 span = fwidth(places) + 1e-6;
  vec2 gap = abs(places - round(places)) / span;
  float calm = clamp(1.5 - 3.0 * max(span.x, span.y), 0.0, 1.0);
  float strength = clamp(1.2 - min(gap.x, gap.y), 0.0, 1.0) * calm;
  float fade = smoothstep(1.0, 0.3, length(offset));
  colour = vec4(line, strength * fade);
}`,
};

export const overlay = {
  vertex: `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
uniform mat4 camera;
uniform float size;
void main() {
  gl_Position = camera * vec4(place, 1.0);
  gl_PointSize = size;
}`,
  fragment: shadow.fragment,
};
