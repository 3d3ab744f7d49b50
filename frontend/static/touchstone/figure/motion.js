// A motion that is loaded in windows, as they are needed: half an hour would be 80 MB at once.
import { fetchMessage } from "./messages.js";

const WINDOW = 600;
const KEPT = 6;

export class Motion {
  constructor(address, bones) {
    this.address = address;
    this.bones = bones;
    this.windows = new Map(); // number of the window to a message, or to the promise of one
  }

  async begin() {
    this.about = (await this.load(0)).about;
    return this.about;
  }

  // The frame's bones and joints, or null while they are on their way.
  frame(number) {
    const index = Math.floor(number / WINDOW);
    const found = this.windows.get(index);
    if (number % WINDOW > WINDOW / 2 && (index + 1) * WINDOW < this.about.frames) this.load(index + 1).catch(() => {});
    if (!found?.arrays) return null;
    this.windows.delete(index); // and back at the end: the first to go is the one not looked at for longest
    this.windows.set(index, found);
    const at = number - index * WINDOW;
    const wide = this.bones * 12;
    return {
      bones: found.arrays.bones.subarray(at * wide, (at + 1) * wide),
      joints: found.arrays.joints.subarray(at * 66, (at + 1) * 66),
    };
  }

  load(number) {
    const known = this.windows.get(number);
    if (known) return Promise.resolve(known);
    const coming = fetchMessage(`${this.address}?from=${number * WINDOW}&frames=${WINDOW}`).then((message) => {
      this.windows.set(number, message);
      return message;
    });
    coming.catch(() => this.windows.delete(number)); // so that it is asked for again
    for (const old of this.windows.keys()) if (this.windows.size >= KEPT) this.windows.delete(old);
    this.windows.set(number, coming);
    return coming;
  }

  ready(number) {
    return this.load(Math.floor(number / WINDOW));
  }
}
