// The watch gate: was the whole clip played, and has the shortest time passed? Seeking over a part does not play it.
// The server keeps its own clock and decides; this only says beforehand what it will decide.
import { gaps, share, withStretch } from "./ranges.js";
import { forget, recall, remember } from "./store.js";

export const ENOUGH = 0.95;
// How much further than the wall clock a position may have come, in seconds, before it counts as a jump.
const SLACK = 0.5;
// The server's clock started before ours; a little more, so that it never says "too soon" to who waited.
const MARGIN = 0.25;
const RESTART = 0.25;

export class WatchGate extends EventTarget {
  #video;
  #key;
  #wasOpen;
  #opensAt;
  #position = null;
  #at = 0;
  #farthest = 0;
  ranges = [];
  replays = 0;

  // `wait`: seconds that the server still asks for; `isOpen`: an earlier answer proves that the gate was passed.
  constructor(video, { key, wait, isOpen }) {
    super();
    this.#video = video;
    this.#key = `touchstone:watched:${key}`;
    this.#wasOpen = isOpen;
    this.#opensAt = performance.now() + (wait ? (wait + MARGIN) * 1000 : 0);
    const kept = recall(this.#key);
    if (kept) [this.ranges, this.replays] = [kept.ranges, kept.replays];
    this.#farthest = this.ranges.at(-1)?.[1] ?? 0;
    this.#listen();
  }

  get length() {
    return this.#video.duration;
  }

  get coverage() {
    return this.#wasOpen ? Math.max(ENOUGH, share(this.ranges, this.length)) : share(this.ranges, this.length);
  }

  get missing() {
    return gaps(this.ranges, this.length);
  }

  get secondsLeft() {
    return Math.max((this.#opensAt - performance.now()) / 1000, 0);
  }

  get isWatched() {
    return this.#wasOpen || this.coverage >= ENOUGH;
  }

  get isOpen() {
    return this.#wasOpen || (this.isWatched && this.secondsLeft === 0);
  }

  forget() {
    forget(this.#key);
  }

  #listen() {
    const video = this.#video;
    // What was played before this script ran: the browser kept account.
    for (let each = 0; each < video.played.length; each += 1) {
      this.ranges = withStretch(this.ranges, video.played.start(each), video.played.end(each));
    }
    if (!video.seeking) this.#stand();
    video.addEventListener("play", () => this.#start());
    video.addEventListener("playing", () => (this.#at = performance.now()));
    video.addEventListener("seeking", () => (this.#position = null));
    video.addEventListener("seeked", () => this.#stand());
    video.addEventListener("timeupdate", () => this.#advance());
    video.addEventListener("pause", () => this.#advance());
    video.addEventListener("ended", () => this.#advance());
    for (const event of ["loadedmetadata", "durationchange"]) {
      video.addEventListener(event, () => this.#tell());
    }
    const clock = setInterval(() => {
      this.#tell();
      if (this.secondsLeft === 0) clearInterval(clock);
    }, 250);
  }

  #start() {
    this.#at = performance.now();
    if (this.#video.currentTime < RESTART && this.#farthest > this.length / 2) {
      this.replays += 1;
      this.#farthest = 0;
      this.#keep();
    }
  }

  // From here on the position counts. Not first when playing begins: a busy page hears of that late.
  #stand() {
    [this.#position, this.#at] = [this.#video.currentTime, performance.now()];
  }

  #advance() {
    const video = this.#video;
    if (video.seeking || this.#position === null) return;
    const [from, to, now] = [this.#position, video.currentTime, performance.now()];
    const possible = ((now - this.#at) / 1000) * video.playbackRate + SLACK;
    [this.#position, this.#at] = [to, now];
    if (to <= from || to - from > possible) return;
    this.ranges = withStretch(this.ranges, from, to);
    this.#farthest = Math.max(this.#farthest, to);
    this.#keep();
    this.#tell();
  }

  #keep() {
    remember(this.#key, { ranges: this.ranges, replays: this.replays });
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
