// What is drawn: the floor, the shadow, the skinned body, and on request its joints.
import * as shaders from "./shaders.js";

const PARTS = ["#d9b98c", "#e8cfa6", "#6f8fae", "#c06a4a", "#4f9a8a", "#a3577e", "#8a8f3c", "#e0894f", "#68b8a4"];

export class Scene {
  constructor(gl, body, about) {
    this.gl = gl;
    this.about = about;
    this.count = body.arrays.faces.length;
    this.wide = body.arrays.faces.BYTES_PER_ELEMENT === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    this.programs = Object.fromEntries(Object.entries(shaders).map(([name, source]) => [name, program(gl, source)]));
    this.mesh = meshArrays(gl, body.arrays);
    this.square = simpleArray(gl, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 2);
    this.points = simpleArray(gl, new Float32Array(66), 3);
    this.lines = body.about.parents.flatMap((parent, joint) => (parent < 0 ? [] : [parent, joint]));
    this.bones = simpleArray(gl, new Float32Array(this.lines.length * 3), 3);
  }

  draw(frame, camera, look) {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...look.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.matrix = camera.matrix(gl.drawingBufferWidth / gl.drawingBufferHeight);
    gl.disable(gl.DEPTH_TEST);
    this.drawFloor(camera, look);
    this.drawShadow(frame, look);
    gl.enable(gl.DEPTH_TEST);
    this.drawBody(frame, camera, look);
    gl.disable(gl.DEPTH_TEST);
    if (look.joints) this.drawJoints(frame, look);
  }

  use(name) {
    const { gl } = this;
    const chosen = this.programs[name];
    gl.useProgram(chosen.program);
    gl.uniformMatrix4fv(chosen.at("camera"), false, this.matrix);
    return chosen.at;
  }

  drawFloor(camera, look) {
    const { gl } = this;
    const at = this.use("floor");
    gl.uniform3f(at("centre"), camera.target[0], this.about.floor, camera.target[2]);
    gl.uniform1f(at("reach"), camera.fit * 1.4);
    gl.uniform1f(at("tile"), this.about.stature >= 0.8 && this.about.stature <= 3 ? 0.5 : this.about.stature * 0.3);
    gl.uniform3fv(at("line"), look.line);
    gl.bindVertexArray(this.square.array);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  // Every pixel once, by the stencil: overlapping limbs cast one shadow.
  drawShadow(frame, look) {
    const { gl } = this;
    const at = this.use("shadow");
    gl.uniform4fv(at("bones"), frame.bones);
    gl.uniform1f(at("ground"), this.about.floor);
    gl.uniform4f(at("ink"), ...look.shadow, 0.28);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.drawMesh();
    gl.disable(gl.STENCIL_TEST);
  }

  drawBody(frame, camera, look) {
    const { gl } = this;
    const at = this.use("body");
    gl.uniform4fv(at("bones"), frame.bones);
    gl.uniform3fv(at("palette"), look.parts ? PARTS.flatMap(rgb) : PARTS.flatMap(() => look.skin));
    gl.uniform3fv(at("eye"), camera.eye());
    this.drawMesh();
  }

  drawMesh() {
    this.gl.bindVertexArray(this.mesh);
    this.gl.drawElements(this.gl.TRIANGLES, this.count, this.wide, 0);
  }

  drawJoints(frame, look) {
    const { gl } = this;
    const at = this.use("overlay");
    gl.uniform4f(at("ink"), ...look.mark, 1);
    gl.uniform1f(at("size"), Math.max(5, gl.drawingBufferWidth / 80));
    this.bones.fill(this.lines.flatMap((joint) => [...frame.joints.subarray(joint * 3, joint * 3 + 3)]));
    gl.drawArrays(gl.LINES, 0, this.lines.length);
    this.points.fill(frame.joints);
    gl.drawArrays(gl.POINTS, 0, 22);
  }
}

export function rgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

function program(gl, { vertex, fragment }) {
  const made = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = gl.getAttachedShaders(made).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error(`${gl.getProgramInfoLog(made)} ${logs.join(" ")}`);
  }
  const places = {};
  return { program: made, at: (name) => (places[name] ??= gl.getUniformLocation(made, name)) };
}

function meshArrays(gl, arrays) {
  const made = gl.createVertexArray();
  gl.bindVertexArray(made);
  const floats = (place, data, size) => {
    buffer(gl, gl.ARRAY_BUFFER, data);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
  };
  const bytes = (place, data, size) => {
    buffer(gl, gl.ARRAY_BUFFER, data);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribIPointer(place, size, gl.UNSIGNED_BYTE, 0, 0);
  };
  floats(0, arrays.vertices, 3);
  floats(1, normals(arrays), 3);
  bytes(2, arrays.bone_indices, 4);
  floats(3, arrays.bone_weights, 4);
  bytes(4, arrays.parts, 1);
  buffer(gl, gl.ELEMENT_ARRAY_BUFFER, arrays.faces);
  gl.bindVertexArray(null);
  return made;
}

function simpleArray(gl, data, size) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const held = buffer(gl, gl.ARRAY_BUFFER, data);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, size, gl.FLOAT, false, 0, 0);
  gl.bindVertexArray(null);
  const fill = (values) => {
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, held);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
  };
  return { array, fill };
}

function buffer(gl, target, data) {
  const made = gl.createBuffer();
  gl.bindBuffer(target, made);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return made;
}

// Of the body at rest; each face weighs as much as it is large.
function normals({ vertices: v, faces }) {
  const sums = new Float32Array(v.length);
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [faces[f] * 3, faces[f + 1] * 3, faces[f + 2] * 3];
    const p = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]];
    const q = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
    const cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    for (const at of [a, b, c]) for (let axis = 0; axis < 3; axis++) sums[at + axis] += cross[axis];
  }
  return sums;
}
