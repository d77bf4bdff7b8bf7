/* Something that is done once for many reasons, a while after the first of them. */

export function createRest(milliseconds, act) {
  let timer = 0;
  return {
    later() {
      timer ||= setTimeout(() => {
        timer = 0;
        act();
      }, milliseconds);
    },
    cancel() {
      clearTimeout(timer);
    },
  };
}
