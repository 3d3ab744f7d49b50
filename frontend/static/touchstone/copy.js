// A button that copies the text it names. Without JavaScript it stays hidden: the text can be selected anyway.
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const said = document.getElementById(`${button.dataset.copy}-said`);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      said.textContent = "Copied.";
    } catch {
      // No permission, or a plain HTTP page in a frame: select it, so that one keystroke copies it.
      const range = document.createRange();
      range.selectNodeContents(source);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      said.textContent = "Selected: copy it with Ctrl+C, or hold it on a phone.";
    }
  });
}
