// Loads the next clip into the browser's cache once this one has enough. It opens nothing on the server.
export function preloadNext(video, addresses) {
  if (!addresses.length || navigator.connection?.saveData) return;

  async function load() {
    for (const address of addresses) {
      try {
        await (await fetch(address, { priority: "low" })).arrayBuffer();
      } catch {
        return; // it will be loaded when it is shown
      }
    }
  }

  if (video.readyState >= HTMLMediaElement.HAVE_ENOUGH_DATA) load();
  else video.addEventListener("canplaythrough", load, { once: true });
}
