// The questions: real radio groups. Each answer goes to the outbox as it is given.
export class Questions extends EventTarget {
  #form;
  #outbox;
  #gate;
  #item;

  constructor(form, { outbox, gate, item }) {
    super();
    this.#form = form;
    this.#outbox = outbox;
    this.#gate = gate;
    this.#item = item;
    for (const entry of outbox.of(item)) this.#restore(entry);
    form.addEventListener("change", (event) => this.#changed(event.target));
    outbox.addEventListener("state", ({ detail }) => this.#acknowledged(detail));
  }

  get all() {
    return [...this.#form.querySelectorAll("fieldset[data-criterion]")];
  }

  get unanswered() {
    return this.all.find((question) => !question.querySelector(":checked"));
  }

  lock(isLocked) {
    for (const question of this.all) question.disabled = isLocked;
    // Next stays in reach, and says why it does nothing yet.
    this.#form.querySelector("[type=submit]").setAttribute("aria-disabled", isLocked);
  }

  // By a key: the question that has the focus, else the first without an answer.
  answer(key) {
    const question = document.activeElement?.closest("fieldset[data-criterion]") ?? this.unanswered;
    const choice = [...(question?.querySelectorAll("input[data-key]") ?? [])].find(({ dataset }) => dataset.key === key);
    if (!choice || choice.disabled || question.disabled) return false;
    if (question.contains(document.activeElement)) choice.focus();
    if (!choice.checked) {
      choice.checked = true;
      this.#changed(choice);
    }
    question.scrollIntoView({ block: "nearest" });
    const label = choice.closest("label").querySelector(".option__label").textContent;
    this.dispatchEvent(new CustomEvent("chosen", { detail: `${question.querySelector("legend").textContent} ${label}.` }));
    return true;
  }

  #restore({ criterion, value, revision }) {
    const question = this.all.find(({ dataset }) => dataset.criterion === criterion);
    const choice = [...(question?.querySelectorAll("input") ?? [])].find((input) => Number(input.value) === value);
    if (!choice) return;
    choice.checked = true;
    question.dataset.revision = Math.max(revision, Number(question.dataset.revision));
  }

  #changed(choice) {
    const question = choice.closest("fieldset[data-criterion]");
    if (!question) return;
    const revision = Number(question.dataset.revision) + 1;
    question.dataset.revision = revision;
    this.#outbox.put({
      item: this.#item,
      criterion: question.dataset.criterion,
      value: Number(choice.value),
      revision,
      coverage: this.#gate.coverage,
      replays: this.#gate.replays,
    });
  }

  #acknowledged({ entry, revision }) {
    if (entry?.item !== this.#item || !revision) return;
    const question = this.all.find(({ dataset }) => dataset.criterion === entry.criterion);
    if (question) question.dataset.revision = Math.max(revision, Number(question.dataset.revision));
  }
}
