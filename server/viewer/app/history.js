/* The address bar and the history of the browser. The address always says what is shown. A step, as
 * another world or a jump, makes an entry of its own, so that Back undoes it; moving the map changes
 * the entry that is there. */

/* `address()` is that of what is shown, or null. */
export function createHistory(address) {
  let stepping = false;
  const write = (how) => {
    const text = address();
    if (text === null || text === location.hash) return;
    try {
      history[how](null, '', text);
    } catch {
      /* Some browsers limit how often this may be done in a minute; the next time says it all. */
    }
  };
  return {
    write() {
      if (!stepping) write('replaceState');
    },
    /* Does all that `change` does as one step. */
    step(change) {
      stepping = true;
      try {
        change();
      } finally {
        stepping = false;
      }
      write('pushState');
    },
  };
}
