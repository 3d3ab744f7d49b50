// Sending motions: how far it is, a way to stop, and what went wrong when no answer came. Without JavaScript the form
// is sent as any other.

const form = document.getElementById("motions");
const sending = document.getElementById("sending");
const what = document.getElementById("sending-what");
const share = document.getElementById("sending-share");
const cancel = document.getElementById("sending-cancel");
const broken = document.getElementById("broken");
const why = document.getElementById("broken-why");

function begin() {
  broken.hidden = true;
  sending.hidden = false;
  cancel.hidden = false;
  share.value = 0;
  what.textContent = "Sending the files …";
}

function advance({ lengthComputable, loaded, total }) {
  if (!lengthComputable || sending.hidden || !total) return;
  share.value = loaded / total;
  if (loaded < total) return;
  // From here on nobody can tell how far it is, and stopping would not stop the server.
  share.removeAttribute("value");
  cancel.hidden = true;
  what.textContent = "Everything is there. Reading every motion …";
}

function end() {
  sending.hidden = true;
}

function say(reason) {
  why.textContent = reason;
  broken.hidden = false;
}

if (form) {
  form.addEventListener("htmx:beforeRequest", begin);
  form.addEventListener("htmx:xhr:progress", (event) => advance(event.detail));
  form.addEventListener("htmx:afterRequest", end);
  form.addEventListener("htmx:sendError", () =>
    say("A file was changed after you chose it, or the connection broke. Choose the files again and check again: that is safe."),
  );
  form.addEventListener("htmx:responseError", (event) =>
    say(`The server answered ${event.detail.xhr.status}. Load the page again and check again: that is safe.`),
  );
  form.addEventListener("htmx:sendAbort", () => say("You stopped it before everything was sent."));
  cancel.addEventListener("click", () => form.dispatchEvent(new CustomEvent("htmx:abort", { bubbles: true, detail: { elt: form } })));
  document.body.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target?.id === "outcome") document.getElementById("outcome").focus();
  });
}
