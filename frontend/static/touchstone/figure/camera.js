// A camera that turns round a point, and the matrix that it sees by (columns, as WebGL wants them).
const SLOPE = Math.tan((30 * Math.PI) / 360); // the lens of our clips
const START = { yaw: 0.45, pitch: 0.2 };

export class OrbitCamera {
  constructor(about) {
    const { low, high, floor, stature } = about;
    this.home = [(low[0] + high[0]) / 2, floor + Math.max(high[1] - floor, stature) * 0.5, (low[2] + high[2]) / 2];
    const reach = Math.hypot(high[0] - low[0], high[2] - low[2]) / 2;
    this.fit = (Math.max(stature * 0.6, Math.hypot(reach, (high[1] - floor) / 2) + stature * 0.12) * 1.05) / SLOPE;
    this.near = stature * 0.8;
    this.reset();
  }

  reset() {
    Object.assign(this, START, { distance: this.fit, target: [...this.home] });
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(1.5, Math.max(-0.1, this.pitch + pitch));
  }

  zoom(factor) {
    this.distance = Math.min(this.fit * 4, Math.max(this.near, this.distance * factor));
  }

  eye() {
    const flat = Math.cos(this.pitch);
    const away = [Math.sin(this.yaw) * flat, Math.sin(this.pitch), Math.cos(this.yaw) * flat];
    return this.target.map((value, axis) => value + away[axis] * this.distance);
  }

  matrix(aspect) {
    const eye = this.eye();
    const back = this.target.map((value, axis) => (eye[axis] - value) / this.distance);
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const up = [
      back[1] * right[2] - back[2] * right[1],
      back[2] * right[0] - back[0] * right[2],
      back[0] * right[1] - back[1] * right[0],
    ];
    const near = this.distance * 0.02;
    const far = this.distance * 12;
    const tall = 1 / (SLOPE * Math.max(1, 1 / aspect));
    const depth = (far + near) / (near - far);
    const dot = (axis) => -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2]);
    const wide = tall / aspect;
    const matrix = new Float32Array(16);
    for (let column = 0; column < 3; column++) {
      matrix.set([wide * right[column], tall * up[column], depth * back[column], -back[column]], column * 4);
    }
    matrix.set([wide * dot(right), tall * dot(up), depth * dot(back) + (2 * far * near) / (near - far), -dot(back)], 12);
    return matrix;
  }
}
