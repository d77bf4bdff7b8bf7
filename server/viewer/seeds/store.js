/* The seeds that were shown last and those with names, as the browser keeps them. What is kept may
 * be anything, or the browser may refuse to keep it: then the list lasts as long as the page. */

import { createEvents } from '../app/events.js';

const KEY = 'terrane.seeds';
const RECENT_MAX = 30;
const NAMED_MAX = 200;
const TEXT_MAX = 256;

const isText = (text) => typeof text === 'string' && text.length > 0 && text.length <= TEXT_MAX;
const isEntry = (entry) => isText(entry?.world) && isText(entry?.seed) &&
  (entry.name === null || isText(entry.name));

function parse(text) {
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isEntry)
      .map(({ world, seed, name }) => ({ world, seed, name })) : [];
  } catch {
    return [];
  }
}

/* The newest of each kind; the order stays. */
function bound(list) {
  let [recent, named] = [0, 0];
  return list.filter(({ name }) =>
    (name === null ? (recent += 1) <= RECENT_MAX : (named += 1) <= NAMED_MAX));
}

function read() {
  try {
    return parse(localStorage.getItem(KEY) ?? '[]');
  } catch {
    return null;
  }
}

/* Whether the list could be kept. */
function write(list) {
  try {
    localStorage.setItem(KEY, JSON.stringify(list));
    return true;
  } catch {
    return false;
  }
}

/* Entries are {world, seed, name}; `name` is null if they have none. */
export function createSeedStore() {
  const { on, emit } = createEvents();
  let list = bound(read() ?? []);
  let keeps = true;

  /* What other windows have kept meanwhile counts, too. */
  const refresh = () => {
    const kept = keeps ? read() : null;
    if (kept !== null) list = bound(kept);
  };
  const change = (next) => {
    list = bound(next);
    keeps = write(list);
    emit('changed');
  };
  const isSame = (world, seed) => (entry) => entry.world === world && entry.seed === seed;

  addEventListener('storage', ({ key }) => {
    if (key !== KEY && key !== null) return;
    list = bound(read() ?? []);
    emit('changed');
  });

  return {
    /* 'changed': the list is another. */
    on,
    /* The newest first. */
    list: () => list,
    /* False if the browser refuses to keep the list. */
    keeps: () => keeps,
    /* Puts a seed that is shown in front; a null seed is the world's own, which is not listed. */
    add(world, seed) {
      if (seed === null || list.findIndex(isSame(world, seed)) === 0) return;
      refresh();
      const before = list.find(isSame(world, seed));
      change([before ?? { world, seed, name: null },
        ...list.filter((entry) => entry !== before)]);
    },
    /* An empty name takes the name away. */
    rename(world, seed, name) {
      refresh();
      const text = name.trim().slice(0, TEXT_MAX) || null;
      change(list.map((entry) =>
        (isSame(world, seed)(entry) ? { ...entry, name: text } : entry)));
    },
    remove(world, seed) {
      refresh();
      change(list.filter((entry) => !isSame(world, seed)(entry)));
    },
  };
}
