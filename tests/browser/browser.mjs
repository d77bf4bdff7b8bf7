/* A browser for tests, and what they ask a page about. */

import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { PATIENCE_MS, openBrowser } from './chromium.mjs';

const DESKTOP = { viewport: { width: 1024, height: 640 } };
export const WIDE = { viewport: { width: 1280, height: 800 } };
export const PHONE = {
  viewport: { width: 360, height: 640 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};
const TILES = '.leaflet-layer:not(.backdrop) img.leaflet-tile';

/* The processor draws each frame: while tiles and names fade in, while the bar of loading runs, and where panels blur what
 * is below them, that is most of the time of a test, and no test looks at these. */
const STILL = `.leaflet-tile { opacity: 1 !important } .loading-bar { animation: none !important }
  .name { animation: none !important; transition: none !important } * { backdrop-filter: none !important }`;
const addStyles = (text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
};

/* Opens a page in a context of its own and hands it to `check`; afterwards it must have been without errors, violations
 * of its policy and requests to other hosts, but for console messages that `expected` matches and the origins of
 * `others`. */
async function withPage(context, address, check, { expected = /^$/, others = [] }) {
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || expected.test(message.text())) return;
    trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(String(error.stack)));
  const { origin } = new URL(address);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith('data:') && ![origin, ...others].includes(new URL(url).origin)) trouble.push(`asked ${url}`);
  });
  await page.goto(address);
  await check(page);
  assert.deepEqual(trouble, []);
}

/* A browser for all tests of a file, of a kind that chromium.mjs names. When it has ended, the next context is one of
 * another browser. */
export function browserOfFile(kind = 'plain') {
  let opened;
  const browser = async () => {
    if (!(await opened?.catch(() => null))?.isConnected()) opened = openBrowser(kind);
    return opened;
  };
  before(browser);
  after(async () => (await opened).close());
  const newContext = async (options) => {
    const context = await (await browser()).newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(addStyles, STILL);
    return context;
  };
  return {
    newContext,
    /* Hands the page at an address to `check`, as withPage() does; the other options are those of the context. */
    open: async (address, check, { expected, others, ...options } = {}) => {
      const context = await newContext({ ...DESKTOP, ...options });
      try {
        await withPage(context, address, check, { expected, others });
      } finally {
        await context.close();
      }
    },
  };
}

/* A server and a browser for all tests of a file: `words` are arguments of the server, `kind` is that of the browser,
 * and the other options are those of each visit, if it has no others. Without arguments it may be the server of all
 * files, see shared.mjs: a test must not stop it, or need that nothing else asks it. */
export function pageOfFile({ words = [], kind, ...usual } = {}) {
  const { newContext, open } = browserOfFile(kind);
  const shared = words.length === 0 && process.env.TERRANE_SHARED_SERVER;
  const server = shared ? { url: shared, ready: Promise.resolve() } : serverOfFile({ arguments: words });
  return {
    server,
    newContext,
    open,
    /* Opens the server's own page; `hash` is what stands behind its address. */
    visit: (hash, check, options) => open(`${server.url}/${hash}`, check, { ...usual, ...options }),
  };
}

/* Asks the page until `accept` holds for its answer, and gives that. (Playwright's own waiting
 * needs eval, which the page's policy forbids.) */
export async function until(page, ask, argument, accept = Boolean) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await page.evaluate(ask, argument);
    if (accept(answer)) return answer;
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(answer)}`);
    await page.waitForTimeout(40);
  }
}

/* Waits until every tile that the map holds has come and is one that `wanted` accepts. */
export async function loadedTiles(page, wanted = () => true) {
  const ask = (selector) => [...document.querySelectorAll(selector)].map((image) => ({
    src: image.getAttribute('src'),
    width: image.complete ? image.naturalWidth : 0,
  }));
  const come = (tiles) => tiles.length > 0 &&
    tiles.every((tile) => tile.width > 0 && wanted(parseTile(tile.src)));
  const tiles = await until(page, ask, TILES, come);
  return tiles.map(({ src, width }) => ({ ...parseTile(src), width }));
}

/* "worlds/terra@g1-…/tiles/relief@s1-…/9/256/256.png" in parts. */
export function parseTile(src) {
  const tile = /^worlds\/([^/@]+)@([^/]+)\/tiles\/([^/@]+)(?:@[^/]+)?\/(\d+)\/(-?\d+)\/(-?\d+)/;
  const parts = tile.exec(src);
  assert.ok(parts, `${src} should be a pinned tile`);
  const [world, fingerprint, style] = parts.slice(1, 4).map(decodeURIComponent);
  const [z, x, y] = parts.slice(4).map(Number);
  return { world, fingerprint, style, z, x, y, src };
}

/* The tile under a point of the window, whatever lies above it. */
export function tileAt(page, x, y) {
  return page.evaluate(([left, top, selector]) => {
    const tile = [...document.querySelectorAll(selector)].find((image) => {
      const box = image.getBoundingClientRect();
      return box.left <= left && left < box.right && box.top <= top && top < box.bottom;
    });
    return tile?.getAttribute('src');
  }, [x, y, TILES]);
}

export function waitForHash(page, hash) {
  const accept = (shown) => (hash instanceof RegExp ? hash.test(shown) : shown === hash);
  return until(page, () => location.hash, null, accept);
}

/* Waits until the text of an element matches, and gives it. */
export function waitForText(page, selector, pattern) {
  const ask = (wanted) => document.querySelector(wanted).textContent;
  return until(page, ask, selector, (text) => pattern.test(text));
}

/* The bytes of the file that a click on an element saves: { name, bytes }. */
export async function download(page, selector) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
  return { name: file.suggestedFilename(), bytes: await buffer(await file.createReadStream()) };
}

/* A number as the page writes it for people. */
export function readNumber(text) {
  return Number(text.replace(/[\u202f\u00a0]|m$/g, '').replace('\u2212', '-'));
}

/* Chooses a world from the gallery. */
export async function chooseWorld(page, name) {
  await page.click('#world');
  await page.click(`.world-card[data-world="${name}"]`);
}
