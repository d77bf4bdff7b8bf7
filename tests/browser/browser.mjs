/* A browser for tests, and what they ask a page about. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { serverOfFile } from '../tools/server.mjs';

const CHROMIUM = '/usr/bin/chromium';
const SHELL = '/usr/bin/chromium-headless-shell'; /* takes half of the time, but twice of it for WebGL */
const WORDS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const DESKTOP = { viewport: { width: 1024, height: 640 } };
export const WIDE = { viewport: { width: 1280, height: 800 } };
export const PHONE = {
  viewport: { width: 360, height: 640 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};
const PATIENCE_MS = 120000; /* beside other tests, on a machine that may be busy */
const TILES = '.leaflet-layer:not(.backdrop) img.leaflet-tile';

/* WebGL without a graphics card: drawn by the processor. */
export const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

/* $CHROMIUM is another browser for all tests. */
export function launchBrowser(further = []) {
  const draws = WEBGL.some((word) => further.includes(word));
  const args = [...WORDS.filter((word) => !draws || word !== '--disable-gpu'), ...further];
  const usual = !draws && existsSync(SHELL) ? SHELL : CHROMIUM;
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? usual, args, timeout: PATIENCE_MS });
}

/* Opens a page and hands it to `test`; afterwards it must have been without errors, violations
 * of its policy and requests to other hosts, but for console messages that `expected` matches and
 * the origins of `others`. */
export async function withPage(browser, address, test, { expected = /^$/, others = [], ...options } = {}) {
  const context = await browser.newContext({ ...DESKTOP, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
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
  try {
    await page.goto(address);
    await test(page);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
}

/* A server and a browser for all tests of a file: `words` are arguments of the server, `flags` those of the browser,
 * and the other options those of each visit, if it has no others. */
export function pageOfFile({ words = [], flags = [], ...usual } = {}) {
  const launched = launchBrowser(flags);
  let browser;
  before(async () => { browser = await launched; });
  after(() => browser?.close());
  const server = serverOfFile({ arguments: words });
  return {
    server,
    /* Hands the page at an address to `check`, as withPage() does. */
    open: (address, check, options) => withPage(browser, address, check, options),
    /* The same with the server's own page; `hash` is what stands behind its address. */
    visit: (hash, check, options) => withPage(browser, `${server.url}/${hash}`, check, { ...usual, ...options }),
    newContext: (options) => browser.newContext(options),
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

/* A number as the page writes it for people. */
export function readNumber(text) {
  return Number(text.replace(/[\u202f\u00a0]|m$/g, '').replace('\u2212', '-'));
}

/* Chooses a world from the gallery. */
export async function chooseWorld(page, name) {
  await page.click('#world');
  await page.click(`.world-card[data-world="${name}"]`);
}
