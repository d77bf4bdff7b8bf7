/* The texts of the lab in the browser, so that a closed window loses nothing; and what is done to
 * texts of world files as a whole.
 *
 * Each window of the browser has a draft of its own, so that two of them do not overwrite each
 * other. All windows list theirs in the browser's storage, where those that were written last are
 * kept when their windows are closed. A reload finds the window's own draft in the storage of its
 * session; it is there during the reload alone, as windows that are opened from another one begin
 * with a copy of its session. */

const KEY = 'terrane-lab';
const DRAFTS_MAX = 8;

const isDraft = (draft) => [draft?.text, draft?.baseline, draft?.id]
  .every((text) => typeof text === 'string');

/* Browsers may forbid the storage, or have something else in it. */
function readDrafts() {
  try {
    return JSON.parse(localStorage.getItem(KEY)).filter(isDraft);
  } catch {
    return [];
  }
}

/* Older ones give way to newer ones; false if there is no room for the newest either. */
function writeDrafts(drafts) {
  for (let kept = drafts.slice(0, DRAFTS_MAX); ; kept = kept.slice(0, -1)) {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
      return true;
    } catch {
      if (kept.length <= 1) return false;
    }
  }
}

/* What the session has, {id, draft}, or null; it is forgotten. */
function takeSession() {
  try {
    const session = JSON.parse(sessionStorage.getItem(KEY));
    sessionStorage.removeItem(KEY);
    return typeof session?.id === 'string' ? session : null;
  } catch {
    return null;
  }
}

/* The texts that the browser keeps for this window and others; nothing is forgotten. */
export function keptTexts() {
  const texts = readDrafts().map(({ text }) => text);
  try {
    const { draft } = JSON.parse(sessionStorage.getItem(KEY));
    return isDraft(draft) ? [draft.text, ...texts] : texts;
  } catch {
    return texts;
  }
}

export function createDrafts() {
  const session = takeSession();
  const id = session?.id ?? crypto.getRandomValues(new Uint32Array(2)).join('-');
  let draft = session?.draft ?? null;
  addEventListener('pageshow', takeSession);

  return {
    /* {text, baseline, origin} of this window; for a new one that which was written last in any;
     * null if there is none. */
    load() {
      if (session !== null) return isDraft(draft) ? draft : null;
      return readDrafts()[0] ?? null;
    },
    /* False if the browser does not keep it. A text without changes is no draft. */
    save({ text, baseline, origin }) {
      draft = text === baseline ? null : { id, text, baseline, origin, time: Date.now() };
      const others = readDrafts().filter((other) => other.id !== id && other.text !== text);
      return writeDrafts(draft === null ? others : [draft, ...others]);
    },
    /* The page ends, or is made anew. Another window may have had the same text, and changed it. */
    leave() {
      const listed = readDrafts();
      const isListed = listed.some((other) => other.id === id || other.text === draft?.text);
      if (draft !== null && !isListed) writeDrafts([...listed, draft]);
      try {
        sessionStorage.setItem(KEY, JSON.stringify({ id, draft }));
      } catch {
        /* then a reload is a new window */
      }
    },
    /* Those of other windows with another text than this one, the newest first:
     * {id, text, baseline, origin, time}. */
    others: (own) => readDrafts().filter((other) => other.id !== id && other.text !== own),
  };
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
