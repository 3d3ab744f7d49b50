// Shows what the watch gate knows: a bar of what was played, and in words why the answers are locked.
const SVG = "http://www.w3.org/2000/svg";

export function showCoverage(gate, { box, video, lock, say }) {
  const bar = box.querySelector("svg");
  const why = box.querySelector("[data-why]");
  let isOpen = null;

  function draw() {
    const length = gate.length > 0 ? gate.length : 1;
    const stretches = gate.ranges.map(([from, to]) => rectangle(from / length, to / length));
    bar.replaceChildren(...stretches);
    if (why.textContent !== inWords(gate)) why.textContent = inWords(gate);
    if (isOpen !== gate.isOpen) turn(gate.isOpen);
  }

  function turn(open) {
    if (open && isOpen === false) say("Whole clip watched. You can answer now.");
    isOpen = open;
    box.dataset.open = open ? "yes" : "no";
    lock(!open);
  }

  gate.addEventListener("change", draw);
  video.addEventListener("ended", () => !gate.isOpen && say(inWords(gate)));
  box.hidden = false;
  draw();
}

function rectangle(from, to) {
  const stretch = document.createElementNS(SVG, "rect");
  stretch.setAttribute("x", 100 * from);
  stretch.setAttribute("width", 100 * Math.max(to - from, 0));
  stretch.setAttribute("height", 4);
  return stretch;
}

export function inWords(gate) {
  if (gate.isOpen) return "Whole clip watched: you can answer.";
  const seconds = Math.ceil(gate.secondsLeft);
  if (gate.isWatched) return `Whole clip watched. The answers unlock in ${seconds} s.`;
  const seen = `Watch the whole clip to unlock the answers: ${Math.floor(100 * gate.coverage)}% watched`;
  // What lies ahead of the last stretch needs no words.
  const last = gate.ranges.at(-1)?.[0] ?? 0;
  const skipped = gate.missing.filter(([from]) => from < last);
  const parts = skipped.map(([from, to]) => `${from.toFixed(1)} to ${to.toFixed(1)} s`);
  const missing = parts.length ? `, not yet ${parts.join(" and ")}` : "";
  return `${seen}${missing}.`;
}
