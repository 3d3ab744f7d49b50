// Mouse, touch and wheel turn the camera; `changed` is called after each.
export function listen(canvas, camera, changed) {
  const held = new Map();
  const spread = () => {
    const [a, b] = [...held.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const gap = held.size === 2 ? spread() : 0;
    held.set(event.pointerId, now);
    if (gap) camera().zoom(gap / Math.max(spread(), 1));
    else if (held.size === 1) camera().turn((before.x - now.x) * 0.008, (now.y - before.y) * 0.008);
    changed();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => held.delete(event.pointerId));
  }
  // Only after a click: a page that scrolls past must not get caught.
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      camera().zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.002));
      changed();
    },
    { passive: false },
  );
}
