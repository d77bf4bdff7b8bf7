/* How fast the map page opens: time from the navigation to the first tile and to the last visible one, requests and
 * bytes.
 *
 * "Cold" is a daemon that has just started and a browser without a cache; "warm" is the same page opened again by the
 * same browser. Both are in Chromium at 1440 × 900, over loopback without any delay, so bytes say more about the real
 * network than times. The median of ROUNDS counts. BENCH_OTHER names a second binary, which takes turns with the first:
 * the page before a change. */

import { fileURLToPath } from 'node:url';
import { until } from '../browser/browser.mjs';
import { launchBrowser } from '../browser/chromium.mjs';
import { binaries, withFreshServer } from './pages.mjs';
import { fixed, table } from './table.mjs';

const ROUNDS = Number(process.env.PAGE_ROUNDS ?? 5);
const VIEWPORT = { width: 1440, height: 900 };
/* The page as it greets, and a place that no version moves. */
const ADDRESSES = ['/', '/#terra/relief/9/0/0'];

/* Runs in the page before its own scripts: notes when each tile has come. */
function noteTiles() {
  globalThis.tileTimes = new Map();
  document.addEventListener('load', ({ target }) => {
    if (target.classList?.contains('leaflet-tile')) globalThis.tileTimes.set(target, performance.now());
  }, true);
}

/* The times of the tiles that are seen, once all of these have come; else null. Runs in the page. */
function visibleTimes() {
  const tiles = [...document.querySelectorAll('.leaflet-layer:not(.backdrop) img.leaflet-tile')].filter((image) => {
    const box = image.getBoundingClientRect();
    return box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
  });
  const times = tiles.map((image) => globalThis.tileTimes.get(image));
  const covered = tiles.length * 256 ** 2 >= innerWidth * innerHeight;
  return covered && !times.includes(undefined) ? times : null;
}

/* One opening of the page: { first_ms, last_ms, requests, bytes, tile_bytes }. */
async function open(context, address) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const urls = new Map();
  const found = { requests: 0, bytes: 0, tile_bytes: 0 };
  session.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, response.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (encodedDataLength === 0) return; /* from the browser's cache */
    found.requests++;
    found.bytes += encodedDataLength;
    if (/\/tiles\//.test(urls.get(requestId))) found.tile_bytes += encodedDataLength;
  });
  await page.addInitScript(noteTiles);
  await page.goto(address);
  const times = await until(page, visibleTimes);
  const all = await page.evaluate(() => [...globalThis.tileTimes.values()]);
  await page.waitForLoadState('networkidle');
  await page.close();
  return { ...found, first_ms: Math.min(...all), last_ms: Math.max(...times) };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/* A fresh daemon and a fresh browser context: the page is opened twice. */
const round = (browser, program, address) => withFreshServer(browser, program, VIEWPORT, async (context, url) => {
  const cold = await open(context, url + address);
  const warm = await open(context, url + address);
  return { cold, warm };
});

export async function measurePage(log = () => {}) {
  const cases = ADDRESSES.flatMap((address) => binaries().map(([binary, program]) =>
    ({ address, binary, program, rounds: [] })));
  const browser = await launchBrowser();
  try {
    for (let i = 0; i < ROUNDS; i++) {
      log(`the page, round ${i + 1} of ${ROUNDS}`);
      for (const { address, program, rounds } of cases) {
        rounds.push(await round(browser, program, address));
      }
    }
  } finally {
    await browser.close();
  }
  return cases.flatMap(({ address, binary, rounds }) => ['cold', 'warm'].map((state) => {
    const figure = (name) => median(rounds.map((found) => found[state][name]));
    return { address, binary, state, first_ms: figure('first_ms'), last_ms: figure('last_ms'),
      requests: figure('requests'), bytes: figure('bytes'), tile_bytes: figure('tile_bytes') };
  }));
}

export const pageTable = (results) => table(
  'The map page in Chromium at 1440 × 900: from the navigation to its tiles',
  results.map((row) => ({
    address: row.address, binary: row.binary, caches: row.state, 'first tile, ms': fixed(row.first_ms, 0),
    'last visible tile, ms': fixed(row.last_ms, 0), requests: row.requests, 'KB': fixed(row.bytes / 1000, 0),
    'of it tiles': fixed(row.tile_bytes / 1000, 0),
  })),
);

/* `make bench-page`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results = await measurePage((text) => process.stderr.write(`measuring ${text}\n`));
  process.stdout.write(process.env.JSON ? `${JSON.stringify(results, null, 2)}\n` : pageTable(results));
}
