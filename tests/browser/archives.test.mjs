/* MapLibre and Leaflet show an archive of `terrane export` straight from a web server, by range requests: the code and
 * the nginx of the manual, and the pixels of the tiles. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import png from 'pngjs';
import { startArchiveHost } from '../tools/archive-host.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { browserOfFile, until } from './browser.mjs';

const program = resolve(process.env.TERRANE_BINARY ?? fileURLToPath(new URL('../../build/release/terrane', import.meta.url)));
const module = (name) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
const manual = readFileSync(fileURLToPath(new URL('../../server/export/README.md', import.meta.url)), 'utf8');
const SIDE = 512; /* pixels of the maps, which show four tiles around the origin */
const ZOOM = 4;   /* of these tiles */

/* The block of JavaScript in the manual with this word, for the archive on `url`. */
function example(word, url) {
  const [, code] = [...manual.matchAll(/^```js\n([\s\S]*?)^```$/gm)].find(([, text]) => text.includes(word));
  assert.ok(code.includes('https://maps.example.org/terra.pmtiles'));
  return code.replaceAll('https://maps.example.org', url);
}

const pageOf = (css, imports, script) => `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Map</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${css}"><style>html, body { margin: 0 } #map { width: ${SIDE}px; height: ${SIDE}px }</style>
<div id="map"></div><script type="importmap">${JSON.stringify({ imports })}</script>${script}</html>`;

/* A map maker's site, of another origin than the archive: a page, and the files of libraries. */
const TYPES = { js: 'text/javascript', mjs: 'text/javascript', css: 'text/css' };
let html = '';
const pages = createServer((request, response) => {
  const name = request.url.slice(1).split('?')[0];
  const known = /^[\w/-]+\.(js|mjs|css)$/.test(name) && existsSync(module(name));
  response.writeHead(name === '' || known ? 200 : 404, { 'content-type': TYPES[name.split('.').at(-1)] ?? 'text/html' });
  response.end(known ? readFileSync(module(name)) : html);
});

const { newContext } = browserOfFile('webgl');
let folder, host;
const terrane = (...words) => execFileSync(program, words, { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
before(async () => {
  folder = temporaryFolder();
  const small = ['--world', 'perlin', '--style', 'relief'];
  terrane('export', ...small, '--zoom', `${ZOOM - 1}-${ZOOM + 2}`, '--bbox=-1000000,-1000000,1000000,1000000', '-o', 'terra.pmtiles');
  terrane('export', '--world', 'perlin', '--zoom', '9', '--bbox=0,0,1000,1000', '--format', 'mvt', '-o', 'vectors/');
  terrane('export', ...small, '--zoom', '1', '-o', 'pictures/');
  [host] = await Promise.all([startArchiveHost(folder.path), once(pages.listen(0, '127.0.0.1'), 'listening')]);
});
after(async () => {
  pages.close();
  await host?.stop();
});

/* The pixels of the four tiles around the origin. */
function expectedPixels() {
  const picture = new png.PNG({ width: SIDE, height: SIDE });
  const middle = 2 ** (ZOOM - 1);
  for (const [x, y] of [[-1, -1], [0, -1], [-1, 0], [0, 0]]) {
    const tile = png.PNG.sync.read(terrane('render', '--world', 'perlin', '--style', 'relief', '--tile', `${ZOOM}/${middle + x}/${middle + y}`, '--format', 'png', '-o', '-'));
    png.PNG.bitblt(tile, picture, 0, 0, 256, 256, 256 * (x + 1), 256 * (y + 1));
  }
  return picture.data;
}

/* The greatest difference of a channel, in a picture without transparent pixels. */
function difference(picture, data) {
  const { width, height, data: own } = png.PNG.sync.read(picture);
  assert.deepEqual([width, height], [SIDE, SIDE]);
  return own.reduce((most, value, i) => Math.max(most, Math.abs(value - data[i])), 0);
}

async function show(name, text, isDrawn) {
  const context = await newContext({ viewport: { width: SIDE, height: SIDE } });
  const page = await context.newPage();
  const [ranges, trouble] = [[], []];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error.stack)));
  page.on('response', (response) => {
    if (response.url().endsWith('.pmtiles')) ranges.push([response.status(), Number(response.headers()['content-length'])]);
  });
  html = text;
  try {
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
    await until(page, isDrawn, null, (drawn) => drawn || trouble.length > 0);
    const picture = await page.screenshot(process.env.TERRANE_PICTURES ? { path: `${process.env.TERRANE_PICTURES}/archive-${name}.png` } : {});
    assert.deepEqual(trouble.filter((text) => !/GPU stall due to ReadPixels|WebGL/.test(text)), []);
    assert.deepEqual([...new Set(ranges.map(([status]) => status))], [206]);
    const loaded = ranges.reduce((sum, [, length]) => sum + length, 0);
    assert.ok(loaded < statSync(folder.file('terra.pmtiles')).size / 2, `${loaded} bytes were loaded`);
    return picture;
  } finally {
    await context.close();
  }
}

test('MapLibre shows the tiles of an archive, from another origin', async () => {
  const code = example('maplibre-gl', host.url).replace('zoom: 3', `zoom: ${ZOOM - 1}, fadeDuration: 0, attributionControl: false`)
    .replace('new Map(', 'const map = new Map(');
  const picture = await show('maplibre', pageOf('maplibre-gl/dist/maplibre-gl.css',
    { 'maplibre-gl': './maplibre-gl/dist/maplibre-gl.mjs', pmtiles: './pmtiles/dist/esm/index.js', fflate: './fflate/esm/browser.js' },
    `<script type="module">${code}; map.on('idle', () => { globalThis.drawn = true; });</script>`), () => globalThis.drawn);
  const most = difference(picture, expectedPixels());
  assert.ok(most <= 2, `a channel differs by ${most}`);
});

test('Leaflet shows the tiles of an archive', async () => {
  const code = example('leafletRasterLayer', host.url);
  const picture = await show('leaflet', pageOf('leaflet/dist/leaflet.css',
    { pmtiles: './pmtiles/dist/esm/index.js', fflate: './fflate/esm/browser.js' },
    `<script src="leaflet/dist/leaflet.js"></script><script type="module">const map = L.map('map', { zoomControl: false, attributionControl: false, fadeAnimation: false }).setView([0, 0], ${ZOOM}); ${code}</script>`),
  () => document.querySelectorAll('.leaflet-tile-loaded').length >= 4
    && [...document.querySelectorAll('.leaflet-tile')].every((tile) => tile.classList.contains('leaflet-tile-loaded')));
  assert.equal(difference(picture, expectedPixels()), 0);
});

test('nginx serves ranges of an archive, folders of tiles, and compressed vector tiles', async () => {
  const bytes = readFileSync(folder.file('terra.pmtiles'));
  const range = await fetch(`${host.url}/terra.pmtiles`, { headers: { Range: 'bytes=127-999' } });
  assert.deepEqual([range.status, range.headers.get('content-range')], [206, `bytes 127-999/${bytes.length}`]);
  assert.ok(Buffer.from(await range.arrayBuffer()).equals(bytes.subarray(127, 1000)));
  assert.match(range.headers.get('access-control-expose-headers'), /Content-Range, ETag/);
  assert.ok(range.headers.get('etag'));
  const picture = await fetch(`${host.url}/pictures/1/0/1.png`);
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
  assert.ok(Buffer.from(await picture.arrayBuffer()).equals(readFileSync(folder.file('pictures/1/0/1.png'))));
  const vectors = await fetch(`${host.url}/vectors/9/256/256.pbf`);
  assert.deepEqual(['content-type', 'content-encoding', 'access-control-allow-origin'].map((name) => vectors.headers.get(name)),
    ['application/vnd.mapbox-vector-tile', 'gzip', '*']);
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(await vectors.arrayBuffer())));
  assert.ok(layers.contour.length > 0);
  assert.equal((await fetch(`${host.url}/vectors/9/0/0.pbf`)).status, 404);
});
