/* Pages with MapLibre and Mapbox GL, from which it came, that show style.json, from another origin than the server. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import png from 'pngjs';
import { startServer } from '../tools/server.mjs';
import { browserOfFile } from './browser.mjs';

const LIBRARIES = ['maplibre-gl', 'mapbox-gl'].map((name) => new URL(`../node_modules/${name}/dist/`, import.meta.url));
export const SIZE = { width: 480, height: 320 };
export const TIMES = { timeout: 60_000 }; /* the processor draws */
const pageOf = (library, load) => `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Map</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${library}.css">
<style>html, body, #map { height: 100%; margin: 0 }</style><div id="map"></div>
${load}
globalThis.errors = [];
globalThis.show = (style, view) => {
  globalThis.map = new View({ container: 'map', style, fadeDuration: 0, canvasContextAttributes: { preserveDrawingBuffer: true }, ...view });
  map.on('error', ({ error }) => errors.push(String(error?.message ?? error)));
  map.on('idle', () => { globalThis.idle = true; });
};
</script></html>`;
const PAGES = {
  '': pageOf('maplibre-gl', '<script type="module">import { Map as View } from "./maplibre-gl.mjs";'),
  mapbox: pageOf('mapbox-gl', '<script src="mapbox-gl.js"></script><script>const View = mapboxgl.Map;'),
};

/* The pages and the files of the libraries, on a server of their own. */
function servePages(pagesByName) {
  const types = { mjs: 'text/javascript', js: 'text/javascript', css: 'text/css', html: 'text/html' };
  const host = createServer((request, response) => {
    const name = request.url.slice(1).split('?')[0];
    const file = /^[\w-]+\.(mjs|js|css)$/.test(name) && LIBRARIES.map((library) => new URL(name, library)).find(existsSync);
    if (!file && !(name in pagesByName)) {
      response.writeHead(404).end();
      return;
    }
    const body = file ? readFileSync(file) : pagesByName[name];
    response.writeHead(200, { 'Content-Type': types[name.split('.')[1] ?? 'html'] }).end(body);
  });
  return new Promise((resolve) => {
    host.listen(0, '127.0.0.1', () => resolve(host));
  });
}

/* The colours in the lower two thirds of the picture, where there is no sky. */
export async function countColours(page, name) {
  const picture = await page.screenshot(process.env.TERRANE_PICTURES ? { path: `${process.env.TERRANE_PICTURES}/${name}.png` } : {});
  const { width, height, data } = png.PNG.sync.read(picture);
  const counts = new Map();
  for (let at = 4 * width * Math.floor(height / 3); at < data.length; at += 4) {
    const colour = data.readUInt32BE(at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const total = width * (height - Math.floor(height / 3));
  return { colours: counts.size, commonest: Math.max(...counts.values()) / total };
}

/* The paths of a style's tiles. */
export const tilesOf = (loaded, style) => loaded.map(([path]) => path).filter((path) => path.includes(`/tiles/${style}@`));

/* A server, a browser and the server of the pages for all tests of a file: newContext() of the browser, addresses, and
 * withMap(). `more(url)` gives further pages by their names, for the address of the server. */
export function mapsOfFile(more = () => ({})) {
  const { newContext } = browserOfFile('webgl');
  let server;
  let pages;
  before(async () => {
    server = await startServer();
    pages = await servePages({ ...PAGES, ...more(server.url) });
  });
  after(async () => {
    pages?.close();
    await server?.stop();
  });
  const urlOf = (name) => `http://127.0.0.1:${pages.address().port}/${name}`;

  /* Shows the style in a page until it is at rest, and hands that to `check` with what was loaded. */
  async function withMap(view, check, { document = '/style.json', library = '', ...options } = {}) {
    const context = await newContext({ viewport: SIZE, ...options });
    const page = await context.newPage();
    const trouble = [];
    const loaded = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
    });
    page.on('pageerror', (error) => trouble.push(String(error.stack)));
    page.on('response', (response) => {
      if (response.url().startsWith(server.url)) loaded.push([response.url().slice(server.url.length), response.status()]);
    });
    try {
      await page.goto(urlOf(library));
      await page.waitForFunction(() => typeof globalThis.show === 'function');
      await page.evaluate(([style, where]) => globalThis.show(style, where), [server.url + document, view]);
      await page.waitForFunction(() => globalThis.idle === true || globalThis.errors.length > 0);
      assert.deepEqual(await page.evaluate(() => globalThis.errors), []);
      await check(page, loaded);
      for (const [path, status] of loaded) assert.equal(status, 200, path);
      assert.deepEqual(trouble.filter((text) => !/GPU stall due to ReadPixels/.test(text)), []);
    } finally {
      await context.close();
    }
  }

  return { newContext, urlOf, withMap, urlOfServer: () => server.url };
}
