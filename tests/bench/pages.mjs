/* What measurements of the page share. */

import { startServer } from '../tools/server.mjs';

/* The binaries to be measured, as [name, path]: $TERRANE_BINARY, and $BENCH_OTHER if it names one. */
export function binaries() {
  const { TERRANE_BINARY: own, BENCH_OTHER: other } = process.env;
  return [['this', own], ...(other ? [['other', other]] : [])];
}

/* Hands a browser context without a cache, and the address of a daemon that has just started, to `measure`, and gives
 * what that returns. */
export async function withFreshServer(browser, binary, viewport, measure) {
  const own = process.env.TERRANE_BINARY;
  process.env.TERRANE_BINARY = binary;
  const server = await startServer().finally(() => { process.env.TERRANE_BINARY = own; });
  const context = await browser.newContext({ viewport });
  try {
    return await measure(context, server.url);
  } finally {
    await context.close();
    await server.stop();
  }
}
