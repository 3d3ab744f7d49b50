// The help of an option also by a tap, and while the answers are locked. Hover and focus need no script: see pages.css.
export function showHelpOnTap(form) {
  form.addEventListener("pointerup", ({ target }) => {
    const option = target.closest(".option");
    if (!option) return;
    for (const other of option.parentElement.querySelectorAll(".is-asked")) other.classList.remove("is-asked");
    option.classList.add("is-asked");
  });
}
