// What the pages keep in this browser tab. Each entry belongs to one session and lives for a day.

const PREFIX = "lafiya.";
const DAY_MS = 24 * 60 * 60 * 1000;
const owner = document.documentElement.dataset.owner ?? "";

export function keep(key, fields) {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify({ owner, at: Date.now(), fields }));
  } catch {
    // A browser that keeps nothing: the pages work without.
  }
}

/** The fields that were kept, or null. */
export function kept(key) {
  const entry = read(PREFIX + key);
  return entry ? entry.fields : null;
}

/** Forgets an entry, or all. */
export function forget(key) {
  for (const name of names()) if (key === undefined || name === PREFIX + key) sessionStorage.removeItem(name);
}

/** Removes what is older than a day or belongs to another session. */
export function removeStale() {
  for (const name of names()) if (!read(name)) sessionStorage.removeItem(name);
}

function names() {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
}

function read(name) {
  try {
    const entry = JSON.parse(sessionStorage.getItem(name));
    return entry && entry.owner === owner && Date.now() - entry.at < DAY_MS ? entry : null;
  } catch {
    return null;
  }
}
