/* Trying again, ever more slowly, after the server did not answer or tiles did not come. */

const FIRST_MS = 500;
const LONGEST_MS = 30000;

/* attempt() is awaited at each try; it throws if the next one is due, too. */
export function createRecovery(attempt) {
  let timer = 0;
  let delay = FIRST_MS;

  const recovery = {
    /* Something failed: try again soon, if that is not planned already. */
    start() {
      if (timer !== 0) return;
      timer = setTimeout(run, delay);
      delay = Math.min(delay * 2, LONGEST_MS);
    },
    /* All is well. */
    done() {
      clearTimeout(timer);
      timer = 0;
      delay = FIRST_MS;
    },
  };
  const run = async () => {
    timer = 0;
    try {
      await attempt();
    } catch {
      recovery.start();
    }
  };
  return recovery;
}
