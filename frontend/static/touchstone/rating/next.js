// Next: only when every answer has arrived, and to wherever the server says. Pressed offline, it waits for the network.
const RETRY = 3000;

export class Next {
  #form;
  #gate;
  #questions;
  #outbox;
  #status;
  #isBusy = false;
  #isWanted = false;
  #timer = 0;

  constructor(form, { gate, questions, outbox, status }) {
    this.#form = form;
    this.#gate = gate;
    this.#questions = questions;
    this.#outbox = outbox;
    this.#status = status;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.press();
    });
    addEventListener("online", () => this.#isWanted && this.#go());
  }

  press() {
    if (!this.#gate.isOpen) return this.#status.alert("Please watch the whole clip first, then answer.");
    const open = this.#questions.unanswered;
    if (open) {
      this.#status.alert("One more answer, please: every question needs one.");
      open.querySelector("input").focus();
      return undefined;
    }
    this.#isWanted = true;
    return this.#go();
  }

  async #go() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    clearTimeout(this.#timer);
    this.#status.clearAlert();
    const answer = (await this.#outbox.flush()) ? await this.#finish() : null;
    this.#isBusy = false;
    if (answer?.next) {
      this.#gate.forget();
      location.assign(answer.next);
    } else if (answer?.message) {
      this.#isWanted = false;
      this.#status.alert(answer.message);
    } else {
      this.#status.wait("Not sent yet. Your answers are kept here; the next clip opens when you are back online.");
      this.#timer = setTimeout(() => this.#go(), RETRY);
    }
  }

  // The server looks at the item as a whole. Null when it cannot be reached.
  async #finish() {
    if (!navigator.onLine) return null;
    const body = new FormData(this.#form);
    body.set("seen.coverage", this.#gate.coverage);
    body.set("seen.replays", this.#gate.replays);
    try {
      const response = await fetch(this.#form.action, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams(body),
        cache: "no-store",
        signal: AbortSignal.timeout(15000),
      });
      if (response.redirected) return { next: response.url };
      return response.status < 500 ? await response.json() : null;
    } catch {
      return null;
    }
  }
}
