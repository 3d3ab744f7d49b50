// One calm line that says whether the answers are safe, one that interrupts, and one for screen readers alone.
const WORDS = {
  sending: "Saving…",
  saved: "Saved",
  already: "Already received",
  waiting: "Not sent yet, will be sent when you are back online",
};

export class Status {
  #saved;
  #alert;
  #said;

  constructor({ saved, alert, said }) {
    this.#saved = saved;
    this.#alert = alert;
    this.#said = said;
  }

  follow(outbox) {
    outbox.addEventListener("state", ({ detail: { state, message } }) => {
      if (state === "refused") this.alert(message ?? "The server refused this answer.");
      else this.#show(message ?? WORDS[state], state);
    });
  }

  wait(words) {
    this.#show(words, "waiting");
  }

  say(words) {
    this.#said.textContent = words;
  }

  alert(words) {
    const paragraph = document.createElement("p");
    paragraph.textContent = words;
    this.#alert.replaceChildren(paragraph);
    this.#alert.hidden = false;
    this.#alert.scrollIntoView({ block: "nearest" });
  }

  clearAlert() {
    this.#alert.hidden = true;
    this.#alert.replaceChildren();
  }

  #show(words, state) {
    this.#saved.textContent = words;
    this.#saved.dataset.state = state;
  }
}
