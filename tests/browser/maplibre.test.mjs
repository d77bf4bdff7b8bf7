/* MapLibre and Mapbox GL, from which it came, show style.json, from a page of another origin; and the XML documents
 * are XML. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import png from 'pngjs';
import { startServer } from '../tools/server.mjs';
import { browserOfFile } from './browser.mjs';

const LIBRARIES = ['maplibre-gl', 'mapbox-gl'].map((name) => new URL(`../node_modules/${name}/dist/`, import.meta.url));
const SIZE = { width: 480, height: 320 };
const TIMES = { timeout: 60_000 }; /* the processor draws */
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

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/* The page of README.md, as it stands there but for the address of the daemon. */
function readmePage() {
  const [, html] = /^MapLibre, with 3-D terrain:\n\n```html\n(.*?)```/ms.exec(README);
  assert.ok(html.includes('http://127.0.0.1:8080/'));
  return `<link rel="icon" href="data:,">${html.replaceAll('http://127.0.0.1:8080', server.url)}`;
}

const { newContext } = browserOfFile('webgl');
let server;
let pages;

/* The page and the library's files, on a server of their own. */
function servePages() {
  const types = { mjs: 'text/javascript', js: 'text/javascript', css: 'text/css', html: 'text/html' };
  const host = createServer((request, response) => {
    const name = request.url.slice(1).split('?')[0];
    const file = /^[\w-]+\.(mjs|js|css)$/.test(name) && LIBRARIES.map((library) => new URL(name, library)).find(existsSync);
    if (!file && !(name in PAGES)) {
      response.writeHead(404).end();
      return;
    }
    const body = file ? readFileSync(file) : PAGES[name];
    response.writeHead(200, { 'Content-Type': types[name.split('.')[1] ?? 'html'] }).end(body);
  });
  return new Promise((resolve) => {
    host.listen(0, '127.0.0.1', () => resolve(host));
  });
}

before(async () => {
  [server, pages] = await Promise.all([startServer(), servePages()]);
  PAGES.readme = readmePage();
});
after(async () => {
  pages?.close();
  await server?.stop();
});

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
    await page.goto(`http://127.0.0.1:${pages.address().port}/${library}`);
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

/* The colours in the lower two thirds of the picture, where there is no sky. */
async function countColours(page, name) {
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

const tilesOf = (loaded, style) => loaded.map(([path]) => path).filter((path) => path.includes(`/tiles/${style}@`));

test('the page of README.md shows the land', TIMES, async () => {
  const context = await newContext({ viewport: SIZE });
  try {
    const page = await context.newPage();
    const trouble = [];
    page.on('pageerror', (error) => trouble.push(String(error.stack)));
    await page.goto(`http://127.0.0.1:${pages.address().port}/readme`);
    await page.waitForSelector('canvas.maplibregl-canvas');
    for (let end = Date.now() + 45_000, colours = 0; colours < 1000; ({ colours } = await countColours(page, 'readme')))
      assert.ok(Date.now() < end, `${colours} colours`);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
});

test('MapLibre shows relief, terrain and contours', TIMES, () => withMap({ center: [-0.3, 0.1], zoom: 8.5, pitch: 50 }, async (page, loaded) => {
  assert.ok(tilesOf(loaded, 'relief').length >= 6);
  assert.ok(tilesOf(loaded, 'terrarium-water').length >= 4);
  const drawn = await page.evaluate(() => ['contour', 'contour-index'].map((layer) =>
    map.queryRenderedFeatures({ layers: [layer] }).map(({ properties }) => properties)));
  for (const features of drawn) assert.ok(features.length > 0, 'contours are drawn');
  for (const { index } of drawn[0]) assert.notEqual(index, true);
  for (const { index, height } of drawn[1]) assert.ok(index === true && Number.isFinite(height));
  const { colours, commonest } = await countColours(page, 'terrain');
  assert.ok(colours > 1000 && commonest < 0.2, `${colours} colours, ${commonest} of the picture in one`);
  const flat = await page.evaluate(() => new Promise((resolve) => {
    const pixels = () => map.getCanvas().toDataURL();
    const raised = pixels();
    map.setTerrain(null);
    map.once('idle', () => resolve(raised === pixels()));
  }));
  assert.equal(flat, false, 'the ground is raised');
}));

test('Mapbox GL 1.13 shows relief and contours', TIMES, () => withMap({ center: [-0.3, 0.1], zoom: 8.5 }, async (page, loaded) => {
  assert.ok(tilesOf(loaded, 'relief').length >= 6);
  assert.ok(await page.evaluate(() => map.queryRenderedFeatures({ layers: ['contour'] }).length) > 0, 'contours are drawn');
  const { colours, commonest } = await countColours(page, 'mapbox');
  assert.ok(colours > 1000 && commonest < 0.2, `${colours} colours, ${commonest} of the picture in one`);
}, { library: 'mapbox' }));

test('the terrain in MapLibre has the heights of the world', TIMES, () => withMap({ center: [14.5, 1.5], zoom: 12 }, async (page) => {
  const places = [[14.5, 1.5], [14.53, 1.52], [14.46, 1.47]];
  for (const [lon, lat] of places) {
    const raised = await page.evaluate((place) => map.queryTerrainElevation(place) / map.getTerrain().exaggeration, [lon, lat]);
    /* Between samples that stand 32 m apart or, at a lower zoom of the mesh, 64. */
    const [near, far] = await Promise.all([12, 11].map(async (zoom) =>
      (await fetch(`${server.url}/at?lon=${lon}&lat=${lat}&zoom=${zoom}`)).json()));
    const away = ({ height, slope }) => Math.abs(raised - height) - 128 * Math.tan((slope * Math.PI) / 180);
    assert.ok(Math.min(away(near), away(far)) < 1, `${raised} m for ${near.height} or ${far.height} m`);
  }
}));

test('a style of size 512 has @2x pictures, and heights once', TIMES, () => withMap({ center: [14.5, 1.5], zoom: 6 }, async (page, loaded) => {
  const relief = tilesOf(loaded, 'relief');
  assert.ok(relief.length > 0 && relief.every((path) => path.endsWith('@2x.webp')), relief.join());
  const heights = tilesOf(loaded, 'terrarium-water');
  assert.ok(heights.length > 0 && heights.every((path) => /\/\d+\.png$/.test(path)), heights.join());
}, { deviceScaleFactor: 2, document: '/style.json?format=webp&size=512' }));

test('the XML documents are well-formed', async () => {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${pages.address().port}/`);
  const parse = async (path) => page.evaluate((text) => {
    const found = new DOMParser().parseFromString(text, 'application/xml');
    const names = [...found.getElementsByTagNameNS('http://www.opengis.net/ows/1.1', 'Title')].map((title) => title.textContent);
    return { root: found.documentElement.nodeName, space: found.documentElement.namespaceURI, names, wrong: found.querySelector('parsererror')?.textContent };
  }, await (await fetch(server.url + path)).text());
  const wmts = await parse('/wmts.xml');
  assert.equal(wmts.wrong, undefined);
  assert.equal(wmts.root, 'Capabilities');
  assert.equal(wmts.space, 'http://www.opengis.net/wmts/1.0');
  const { title, styles } = await (await fetch(`${server.url}/worlds/terra`)).json();
  /* GDAL's WMTS would clamp 16 bits to 8. */
  const listed = styles.filter(({ name }) => name !== 'grey16');
  assert.deepEqual(wmts.names, [title, ...listed.map((style) => `${title} – ${style.title}`)]);
  const gdal = await parse('/worlds/terra~%26%3C%22/gdal.xml');
  assert.equal(gdal.wrong, undefined);
  assert.equal(gdal.root, 'GDAL_WMS');
  await context.close();
});
