/* The texts of the lab in the browser, so that a closed window loses nothing; and what is done to
 * texts of world files as a whole.
 *
 * Each window of the browser has a draft of its own, so that two of them do not overwrite each
 * other. Drafts stay when their windows are closed; those that were written last are kept. */

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

/* What `use` gives of the session's storage, or null if the browser forbids it. */
function ofSession(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

/* The name of this window's draft, and whether the window is new. A reload finds the name again;
 * while the window is open it is stored nowhere, as windows that are opened from this one begin
 * with a copy of its session. */
function takeId() {
  const forget = () => ofSession((session) => session.removeItem(KEY));
  const before = ofSession((session) => session.getItem(KEY));
  const id = before ?? crypto.getRandomValues(new Uint32Array(2)).join('-');
  forget();
  addEventListener('pagehide', () => ofSession((session) => session.setItem(KEY, id)));
  addEventListener('pageshow', forget);
  return { id, isNew: before === null };
}

export function createDrafts() {
  const { id, isNew } = takeId();
  return {
    /* {text, baseline, origin} of this window; for a new one that which was written last in any;
     * null if there is none. */
    load() {
      const drafts = readDrafts();
      return drafts.find((draft) => isNew || draft.id === id) ?? null;
    },
    /* False if the browser does not keep it. A text without changes is no draft. */
    save({ text, baseline, origin }) {
      const others = readDrafts().filter((draft) => draft.id !== id);
      const own = text === baseline ? [] : [{ id, text, baseline, origin, time: Date.now() }];
      return writeDrafts([...own, ...others]);
    },
    /* Those of other windows with another text than this one, the newest first:
     * {id, text, baseline, origin, time}. */
    others(own) {
      const texts = new Map(readDrafts().toReversed().map((draft) => [draft.text, draft]));
      texts.delete(own);
      return [...texts.values()].sort((a, b) => b.time - a.time);
    },
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
