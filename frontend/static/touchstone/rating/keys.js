// Keys for who wants them. Never with a modifier, never where the key already means something, and they can be turned off.
import { recall, remember } from "./store.js";

const OFF = "touchstone:keys-off";
const USES_SPACE_OR_ENTER = "a, button, input, select, textarea, summary, video, [contenteditable]";
const IS_WRITING = "textarea, select, input:not([type=radio]):not([type=checkbox]), [contenteditable]";

export function listenToKeys({ player, questions, form, toggle }) {
  toggle.checked = !recall(OFF);
  toggle.addEventListener("change", () => remember(OFF, !toggle.checked));
  addEventListener("keydown", (event) => {
    if (!toggle.checked || isTaken(event)) return;
    const key = named(event);
    const isFree = !document.activeElement?.matches(USES_SPACE_OR_ENTER);
    let used = true;
    if (key === " ") used = isFree && !event.repeat && (player.toggle(), true);
    else if (key === "Enter") used = isFree && !event.repeat && (form.requestSubmit(), true);
    else if (key === "R") used = !event.repeat && (player.replay(), true);
    else if (/^[0-9YN]$/.test(key)) used = questions.answer(key);
    else used = false;
    if (used) event.preventDefault();
  });
}

function isTaken(event) {
  const hasModifier = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
  return event.defaultPrevented || event.isComposing || hasModifier || document.activeElement?.matches(IS_WRITING);
}

// The row of digits gives other signs on some keyboards, and letters other scripts: then the place of the key counts.
function named(event) {
  if (/^[0-9]$/.test(event.key)) return event.key;
  const place = /^(?:Digit([0-9])|Key([A-Z]))$/.exec(event.code);
  if (place?.[1]) return place[1];
  if (place?.[2] && event.key.charCodeAt(0) > 127) return place[2];
  return event.key.length === 1 ? event.key.toUpperCase() : event.key;
}
