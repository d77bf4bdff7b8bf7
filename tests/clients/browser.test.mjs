/* The JavaScript client in a browser, on a page of another origin than the daemon's. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../browser/chromium.mjs';
import { startServer } from '../tools/server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = {
  '/': ['text/html', '<!doctype html><link rel="icon" href="data:,"><title>Chunks</title>'],
  '/terra.json': ['application/json', readFileSync(`${root}/config/worlds/terra.json`)],
};

let daemon;
let pages;
let browser;
before(async () => {
  daemon = await startServer();
  files['/terrane.js'] = ['text/javascript', await (await fetch(`${daemon.url}/terrane.js`)).text()];
  pages = createServer((request, response) => {
    const [type, body] = files[request.url] ?? [];
    response.writeHead(type ? 200 : 404, { 'Content-Type': type ?? 'text/plain' });
    response.end(body ?? 'nothing');
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  browser = await launchBrowser();
});
after(async () => {
  await browser.close();
  pages.closeAllConnections();
  pages.close();
  await daemon.stop();
});

/* Returns the result of `run` on a new page; an error on the page fails the test. */
async function onPage(run) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120000);
  const trouble = [];
  page.on('pageerror', (error) => trouble.push(String(error)));
  try {
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
    const answer = await page.evaluate(run, daemon.url);
    assert.deepEqual(trouble, []);
    return answer;
  } finally {
    await page.close();
  }
}

test('chunks, batches and conditional requests across origins', async () => {
  const { heights, counts, nothing, known } = await onPage(async (url) => {
    const { Terrane } = await import('/terrane.js');
    const terrane = new Terrane(url, { size: 8 });
    const { layers } = await terrane.chunk(3, -2);
    const changed = await terrane.refresh(3, -2);
    const chunks = await terrane.chunks([[3, -2], [4, -2], [2 ** 40, 0]]);
    return { heights: [...layers.height], counts: { ...terrane.counts, changed }, nothing: chunks[2], known: await terrane.verify(4, -2) };
  });
  const points = Array.from({ length: 81 }, (_, k) => [24 + (k % 9), -16 + Math.floor(k / 9)]);
  const answer = await fetch(`${daemon.url}/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: 17 }) });
  assert.deepEqual(heights, (await answer.json()).heights.map(Math.fround));
  assert.deepEqual(counts, { hits: 1, misses: 3, requests: 3, retries: 0, unchanged: 1, received: 2, computed: 0, evicted: 0, changed: false });
  assert.equal(nothing, null);
  assert.equal(known, true);
});

test('the same bits by WebAssembly', async () => {
  const { here, there, counts, problem } = await onPage(async (url) => {
    const { Terrane } = await import('/terrane.js');
    const options = { size: 32, step: 4, layers: ['height', 'biome'] };
    const [local, remote] = [new Terrane(url, options), new Terrane(url, options)];
    const text = await (await fetch('/terra.json')).text();
    await local.useLocal({ wasm: '/terrane.wasm', text });
    const places = [[0, 0], [-7, 12], [100000, -3]];
    const [here_, there_] = [await local.chunks(places), await remote.chunks(places)];
    const digests = (chunks) => chunks.map((chunk) => chunk.digest);
    return { here: digests(here_), there: digests(there_), counts: local.counts, problem: local.localProblem?.message };
  });
  assert.equal(problem, undefined);
  assert.deepEqual(here, there);
  assert.equal(new Set(here).size, 3);
  assert.deepEqual([counts.requests, counts.computed], [1, 3]);
});

test('without the WebAssembly module chunks come over HTTP', async () => {
  const { done, problem, counts } = await onPage(async (url) => {
    const { Terrane } = await import('/terrane.js');
    const terrane = new Terrane(url, { size: 8 });
    const text = await (await fetch('/terra.json')).text();
    const tried = [await terrane.useLocal({ wasm: '/terra.json', text }), await terrane.useLocal({ wasm: '/none.wasm', text })];
    await terrane.chunk(1, 1);
    return { done: tried, problem: terrane.localProblem.message, counts: terrane.counts };
  });
  assert.deepEqual(done, [false, false]);
  assert.match(problem, /none\.wasm: 404/);
  assert.deepEqual([counts.received, counts.computed], [1, 0]);
});

test('the manual\'s example', async () => {
  const manual = readFileSync(`${root}/server/http/README.md`, 'utf8');
  const [, example] = /```js\n(const terrane = new Terrane\('http[\s\S]*?)```/.exec(manual);
  const answer = await onPage(`(async () => {
    const { Terrane } = await import('/terrane.js');
    ${example.replace('http://127.0.0.1:8080', daemon.url)}
    const computed = await terrane.chunk(9, 9);
    return [layers.height.length, layers.biome.length, x, y, around.length, terrane.counts, computed.columns];
  })()`);
  const counts = { hits: 1, misses: 5, requests: 5, retries: 0, unchanged: 0, received: 4, computed: 1, evicted: 0 };
  assert.deepEqual(answer, [4225, 4225, 192, -128, 3, counts, 65]);
});
