// Clips start by themselves, except for people who asked their system for less motion.
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function settle() {
  if (!calm.matches) return;
  for (const video of document.querySelectorAll("video[autoplay]")) {
    video.removeAttribute("autoplay");
    video.pause();
  }
}

settle();
document.addEventListener("htmx:afterSettle", settle);
