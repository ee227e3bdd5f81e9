// What survives a reload of this tab. Storage may be full or forbidden: then nothing is kept, and nothing breaks.

function attempt(action, otherwise) {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

export const read = (key) => attempt(() => JSON.parse(sessionStorage.getItem(key)), null);

export const write = (key, value) =>
  attempt(() => {
    if (value === null || value === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  });
