/* 3-D on the page, for the tests of it. */

import assert from 'node:assert/strict';
import { pageOfFile, parseTile, readNumber, until, waitForText } from './browser.mjs';

export const SMALL = { viewport: { width: 400, height: 300 } }; /* the processor draws */
export const TIMES = { timeout: 120_000 };

/* A server and a browser with WebGL for all tests of a file: pageOfFile()'s `visitPage`, and `visit`, which shows a hash
 * on the page, hands that to `check` with the tiles that come from then on, and expects every one. */
export function pageOfScenes() {
  const { server, visit: visitPage } = pageOfFile({ kind: 'webgl' });
  const collectTiles = (page) => {
    const tiles = [];
    page.on('response', (response) => {
      const path = response.url().slice(server.url.length + 1);
      if (/\/tiles\/[^/]+\/\d/.test(path)) tiles.push({ ...parseTile(path), status: response.status() });
    });
    return tiles;
  };
  const visit = (hash, check, options = {}) => visitPage('#terra/relief/0/0/0', async (page) => {
    await waitForText(page, '#biome', /\S/);
    const tiles = collectTiles(page);
    await page.evaluate((wanted) => { location.hash = wanted; }, hash);
    await check(page, tiles);
    for (const { status, src } of tiles) assert.equal(status, 200, src);
  }, { ...SMALL, expected: /GPU stall due to ReadPixels/, ...options });
  return { server, visit, visitPage };
}

/* What the scene says of the eye when its picture is complete: metres above the sea and above the ground. */
export async function eyeAtRest(page) {
  const text = await until(page, (selector) => document.querySelector(selector)?.textContent,
    '.scene-map[aria-busy="false"] ~ .scene-bar .eye');
  const [, altitude, above] = /^Eye at (.*), (.*) above the ground$/.exec(text);
  return { altitude: readNumber(altitude), above: readNumber(above) };
}
