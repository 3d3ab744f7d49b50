// Answers on their way to the server. They stay here, across reloads, until the server says that it has them.
import { recall, remember } from "./store.js";

const FIRST_DELAY = 1000;
const LONGEST_DELAY = 30000;
const TIMEOUT = 15000;

export class Outbox extends EventTarget {
  #url;
  #key;
  #running = null;
  #timer = 0;
  #delay = FIRST_DELAY;

  constructor(url) {
    super();
    this.#url = url;
    this.#key = `touchstone:unsent:${url}`;
    addEventListener("online", () => this.flush());
  }

  get entries() {
    return recall(this.#key) ?? [];
  }

  of(item) {
    return this.entries.filter((entry) => entry.item === item);
  }

  // A newer answer to a question takes the place of an older one.
  put(entry) {
    remember(this.#key, [...this.entries.filter((other) => !sameQuestion(other, entry)), entry]);
    return this.flush();
  }

  // True when everything has arrived.
  flush() {
    this.#running ??= this.#send().finally(() => (this.#running = null));
    return this.#running;
  }

  async #send() {
    clearTimeout(this.#timer);
    while (this.entries.length) {
      const [entry] = this.entries;
      this.#tell("sending");
      const answer = await this.#post(entry);
      if (answer === null || answer.body.wait > 0) return this.#later(answer?.body);
      this.#delay = FIRST_DELAY;
      this.#settle(entry, answer);
    }
    return true;
  }

  // The server's answer; null when there was none, or none worth having.
  async #post(entry) {
    if (!navigator.onLine) return null;
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify(entry),
        keepalive: true,
        cache: "no-store",
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (response.status >= 500 || response.status === 408 || response.status === 429) return null;
      return { status: response.status, body: await response.json().catch(() => ({})) };
    } catch {
      return null;
    }
  }

  #settle(entry, { status, body }) {
    const current = this.entries.find((other) => sameQuestion(other, entry));
    const isNewest = current?.revision === entry.revision;
    if (status === 409) {
      // Another window answered in between. What was chosen here came later for this person: it goes on top.
      this.#replace(current, { ...current, revision: Math.max(current.revision, body.revision + 1) });
    } else if (isNewest) {
      this.#replace(current, null);
      if (status === 200) this.#tell(body.already ? "already" : "saved", { entry, revision: body.revision });
      else this.#tell("refused", { entry, message: body.message });
    }
  }

  #replace(entry, other) {
    const kept = this.entries.filter((each) => !sameQuestion(each, entry));
    remember(this.#key, other ? [...kept, other] : kept);
  }

  #later(body) {
    this.#tell("waiting", { message: body?.message });
    const delay = body ? body.wait * 1000 + 250 : this.#delay * (0.75 + Math.random() / 2);
    this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY);
    this.#timer = setTimeout(() => this.flush(), delay);
    return false;
  }

  #tell(state, detail = {}) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, ...detail } }));
  }
}

function sameQuestion(one, other) {
  return one.item === other.item && one.criterion === other.criterion;
}
