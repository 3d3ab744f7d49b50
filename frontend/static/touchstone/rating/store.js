// What the browser remembers across a reload. A frame may forbid storage: then it lasts as long as the page.
const memory = new Map();

export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

export function remember(key, value) {
  memory.set(key, value);
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Full or forbidden: memory has it.
  }
}

export function forget(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}
