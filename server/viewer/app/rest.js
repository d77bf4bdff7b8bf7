/* Something that is done once for many reasons, a while after the first of them. */

export function createRest(milliseconds, act) {
  let timer = 0;
  let ended = false;
  return {
    later() {
      if (ended) return;
      timer ||= setTimeout(() => {
        timer = 0;
        act();
      }, milliseconds);
    },
    /* It is not done any more, whatever reasons there are: answers that were under way may come. */
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
