/* The text of the lab in the browser, so that a closed window loses nothing; and what is done to
 * texts of world files as a whole. */

const KEY = 'terrane-lab';

/* {text, baseline, origin}, or null if there is none. Browsers may forbid the storage. */
export function loadDraft() {
  try {
    const draft = JSON.parse(localStorage.getItem(KEY));
    return typeof draft?.text === 'string' && typeof draft.baseline === 'string' ? draft : null;
  } catch {
    return null;
  }
}

/* False if the browser does not keep it. */
export function saveDraft(draft) {
  try {
    localStorage.setItem(KEY, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/* The title that a world file gives itself, even a broken one; or the other one. */
export function titleOf(text, otherwise) {
  const title = /"title"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(text)?.[1];
  try {
    return title ? JSON.parse(title) : otherwise;
  } catch {
    return otherwise;
  }
}

/* The name of a file for a world of this title. */
export function fileName(title) {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return `${plain.replace(/^_+|_+$/g, '').slice(0, 40) || 'world'}.json`;
}

/* A world file with another seed. */
export function withSeed(text, seed) {
  const SEED = /("seed"\s*:\s*)("(?:[^"\\]|\\.)*"|-?\d+)/;
  if (SEED.test(text)) return text.replace(SEED, (all, key) => key + JSON.stringify(seed));
  return text.replace('{', () => `{\n  "seed": ${JSON.stringify(seed)},`);
}
