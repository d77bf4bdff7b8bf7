/* Named events of one object: who wants to hear of something says so once. */

export function createEvents() {
  const listeners = new Map();
  return {
    /* Calls `listener(detail)` at each event of this name; gives the function that ends it. */
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => set.delete(listener);
    },
    emit(name, detail) {
      for (const listener of [...(listeners.get(name) ?? [])]) listener(detail);
    },
  };
}
