// Playing the clip: again, at half speed, and by the Space key.
export class Player {
  #video;
  #half;

  constructor(video, { replay, half }) {
    this.#video = video;
    this.#half = half;
    replay.addEventListener("click", () => this.replay());
    half.addEventListener("click", () => this.toggleHalf());
  }

  toggle() {
    if (this.#video.paused) this.#play();
    else this.#video.pause();
  }

  replay() {
    this.#video.pause(); // so that starting again is seen as starting
    this.#video.currentTime = 0;
    this.#play();
  }

  toggleHalf() {
    const isHalf = this.#half.getAttribute("aria-pressed") !== "true";
    this.#half.setAttribute("aria-pressed", isHalf);
    this.#video.playbackRate = isHalf ? 0.5 : 1;
  }

  #play() {
    this.#video.play().catch(() => {}); // a broken clip says so by itself
  }
}
