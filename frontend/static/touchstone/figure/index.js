// The figure on a sample's page: loads it, draws it when something changed, and plays it while it is seen.
import { OrbitCamera } from "./camera.js";
import { listen } from "./gestures.js";
import { fetchMessage } from "./messages.js";
import { Motion } from "./motion.js";
import { Scene, rgb } from "./scene.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const FOLLOW_BEYOND = 3; // body lengths of travel: further off, a camera that sees all sees little

class Figure {
  constructor(place) {
    this.place = place;
    this.find = (name) => place.querySelector(`.figure__${name}`);
    this.canvas = this.find("canvas");
    this.frame = 0;
    this.isPlaying = false;
    this.isSeen = false;
    this.asked = 0;
  }

  async start() {
    this.gl = this.canvas.getContext("webgl2", { antialias: true, stencil: true, alpha: false });
    if (!this.gl) return this.say("unavailable", "This browser cannot draw in 3D here. The clip shows the same motion.");
    try {
      this.body = await fetchMessage(this.place.dataset.body);
      this.motion = new Motion(this.place.dataset.bones, this.body.about.bones);
      this.about = await this.motion.begin();
      this.scene = new Scene(this.gl, this.body, this.about);
    } catch (error) {
      console.warn(error);
      return this.say("failed", "The figure could not be loaded. The clip shows the same motion.");
    }
    this.camera = new OrbitCamera(this.about);
    this.prepare();
    this.find("controls").hidden = false;
    this.play(!calm.matches && this.about.frames > 1);
    this.show(0);
  }

  say(state, words) {
    this.place.dataset.state = state;
    this.find("said").textContent = words;
  }

  prepare() {
    const { low, high, stature, frames } = this.about;
    const on = (name, event, act) => this.find(name).addEventListener(event, act);
    this.find("frame").max = frames - 1;
    this.find("follow").checked = Math.hypot(high[0] - low[0], high[2] - low[2]) > FOLLOW_BEYOND * stature;
    if (this.find("follow").checked) this.camera.distance = this.camera.fit = Math.min(this.camera.fit, stature * 3);
    on("play", "click", () => this.play(!this.isPlaying));
    on("frame", "input", () => (this.play(false), this.show(Number(this.find("frame").value))));
    on("reset", "click", () => (this.camera.reset(), this.redraw()));
    for (const name of ["follow", "parts", "joints"]) on(name, "change", () => this.redraw());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    listen(this.canvas, () => this.camera, () => this.redraw());
    dark.addEventListener("change", () => this.redraw());
    calm.addEventListener("change", () => calm.matches && this.play(false));
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    new IntersectionObserver(([entry]) => ((this.isSeen = entry.isIntersecting), this.redraw())).observe(this.canvas);
    document.addEventListener("visibilitychange", () => this.redraw());
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // or it would never come back
      this.scene = null;
      this.say("lost", "The graphics were interrupted. The figure comes back by itself.");
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.scene = new Scene(this.gl, this.body, this.about);
      this.redraw();
    });
  }

  key(event) {
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") this.play(!this.isPlaying);
    else if (turn && (event.shiftKey || turn[1])) this.camera.turn(...turn);
    else if (turn) this.step(Math.sign(turn[0]));
    else if (event.key === "+" || event.key === "=") this.camera.zoom(0.9);
    else if (event.key === "-") this.camera.zoom(1.1);
    else return;
    event.preventDefault();
    this.redraw();
  }

  step(by) {
    this.play(false);
    this.show(Math.min(this.about.frames - 1, Math.max(0, this.frame + by)));
  }

  play(should) {
    this.isPlaying = should;
    this.exact = this.frame;
    this.last = null;
    this.find("play").textContent = should ? "Pause" : "Play";
    this.redraw();
  }

  show(frame) {
    this.frame = frame;
    this.find("frame").value = frame;
    this.find("frame").setAttribute("aria-valuetext", `Frame ${frame + 1} of ${this.about.frames}`);
    this.find("number").textContent = `${frame + 1} / ${this.about.frames}`;
    this.redraw();
  }

  redraw() {
    this.asked ||= requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.asked = 0;
    if (!this.scene || !this.isSeen || document.hidden) return void (this.last = null);
    const frame = this.motion.frame(this.frame);
    if (frame) this.draw(frame);
    else return this.wait();
    if (this.isPlaying) this.advance(now);
  }

  wait() {
    this.last = null;
    this.motion.ready(this.frame).then(
      () => this.redraw(),
      () => (this.play(false), this.say("failed", "This part of the motion could not be loaded.")),
    );
  }

  advance(now) {
    const seconds = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    this.exact = (this.exact + seconds * this.about.fps * Number(this.find("speed").value)) % this.about.frames;
    if (Math.floor(this.exact) !== this.frame) this.show(Math.floor(this.exact));
    else this.redraw();
  }

  draw(frame) {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [wide, high] = [this.canvas.clientWidth, this.canvas.clientHeight].map((side) => Math.round(side * ratio) || 1);
    if (this.canvas.width !== wide || this.canvas.height !== high) Object.assign(this.canvas, { width: wide, height: high });
    const centre = this.find("follow").checked ? frame.joints : this.camera.home;
    [this.camera.target[0], this.camera.target[2]] = [centre[0], centre[2]];
    this.scene.draw(frame, this.camera, this.look());
    this.place.dataset.drawn = this.frame;
    if (this.place.dataset.state !== "ready") this.say("ready", "");
  }

  look() {
    const style = getComputedStyle(this.place);
    const colour = (name) => rgb(style.getPropertyValue(name).trim());
    return {
      ground: colour("--figure-ground"),
      line: colour("--figure-line"),
      skin: colour("--figure-skin"),
      shadow: colour("--figure-shadow"),
      mark: colour("--mark"),
      parts: this.find("parts").checked,
      joints: this.find("joints").checked,
    };
  }
}

for (const place of document.querySelectorAll("[data-figure]")) new Figure(place).start();
