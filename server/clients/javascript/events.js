/* When the daemon may have other worlds: its server-sent events, and the time where there are none. */

const WORLDS = /^event: worlds$/m;

/* Each event "worlds" of a daemon with --watch. It ends where there are none: with a response that is not 200, when the
 * connection breaks, and with the signal. */
async function* worldEvents(url, signal) {
  const response = await fetch(url, { signal });
  if (!response.ok) return response.body?.cancel();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ''; ;) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      const blocks = (text + value).split('\n\n');
      text = blocks.pop();
      for (const block of blocks) if (WORLDS.test(block)) yield block;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const pause = (milliseconds, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
});

/* Gives a value at the beginning, after each event, and `every` so many milliseconds while there are no events; until
 * the signal. */
export async function* reloads(url, every, signal) {
  while (!signal?.aborted) {
    yield 'asked';
    try {
      yield* worldEvents(url, signal);
    } catch { /* no daemon, or one that tells pages of other sites nothing */ }
    if (!signal?.aborted) await pause(every, signal);
  }
}
