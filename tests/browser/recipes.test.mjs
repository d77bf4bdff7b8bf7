/* The recipes of the manual for maps of others, as they stand there: the pixels of the map are those of the tiles at
 * their places, near the origin and far beyond ±180°, and the marker is at its place. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import png from 'pngjs';
import { startServer } from '../tools/server.mjs';
import { browserOfFile } from './browser.mjs';

const MODULES = new URL('../node_modules/', import.meta.url);
const MANUAL = readFileSync(new URL('../../server/http/README.md', import.meta.url), 'utf8');
const SIZE = { width: 512, height: 384 };
const MARKER = { x: 12500, y: -3000 };
const TYPES = { js: 'text/javascript', css: 'text/css', html: 'text/html', png: 'image/png' };

/* What a page needs of a library; how its map is moved, and tells where a place is drawn. */
const LIBRARIES = {
  Leaflet: {
    files: ['leaflet/dist/leaflet.css', 'leaflet/dist/leaflet.js'],
    move: ([x, y, z]) => map.setView(at(x, y), z, { animate: false }),
    pixel: ([x, y]) => map.latLngToContainerPoint(at(x, y)),
    /* Tiles fade in. */
    settled: () => {
      const images = [...document.querySelectorAll('img.leaflet-tile')];
      return images.length > 0 && images.every(({ classList, style }) =>
        classList.contains('leaflet-tile-loaded') && Number(style.opacity || 1) === 1);
    },
  },
  OpenLayers: {
    files: ['ol/ol.css', 'ol/dist/ol.js'],
    move: ([x, y, z]) => {
      globalThis.rendered = false;
      map.once('rendercomplete', () => { globalThis.rendered = true; });
      view.setCenter(at(x, y));
      view.setZoom(z);
      map.render(); /* the view may be the one that is shown, and complete */
    },
    pixel: ([x, y]) => {
      const [left, top] = map.getPixelFromCoordinate(at(x, y));
      return { x: left, y: top };
    },
    settled: () => globalThis.rendered,
  },
};

const { newContext } = browserOfFile();
let server;
let pages;

/* The block of JavaScript in the manual that begins behind a paragraph with that word. */
function recipe(name) {
  const [, code] = new RegExp(`^${name}, with [^\\n]*\\n\\n\`\`\`js\\n(.*?)\`\`\``, 'ms').exec(MANUAL);
  assert.ok(code.includes('http://127.0.0.1:8080/'));
  return code.replaceAll('http://127.0.0.1:8080', server.url);
}

/* A page for each library at /NAME, and the files of the libraries. */
function servePages() {
  const host = createServer((request, response) => {
    const name = request.url.slice(1);
    const library = LIBRARIES[name];
    const file = /^(leaflet|ol)\/[\w/.-]+$/.test(name) && !name.includes('..');
    if (!library && !file) {
      response.writeHead(404).end();
      return;
    }
    const links = library?.files.map((each) => (each.endsWith('.css')
      ? `<link rel="stylesheet" href="/${each}">` : `<script src="/${each}"></script>`)).join('');
    const body = file ? readFileSync(new URL(name, MODULES)) : `<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<title>${name}</title><link rel="icon" href="data:,">${links}
<style>html, body, #map { height: 100%; margin: 0 }</style><div id="map"></div><script>${recipe(name)}</script></html>`;
    response.writeHead(200, { 'Content-Type': TYPES[file ? name.split('.').at(-1) : 'html'] }).end(body);
  });
  return new Promise((resolve) => {
    host.listen(0, '127.0.0.1', () => resolve(host));
  });
}

before(async () => {
  server = await startServer();
  pages = await servePages();
});
after(async () => {
  pages?.close();
  await server?.stop();
});

async function withMap(name, check) {
  const context = await newContext({ viewport: SIZE });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(String(error.stack)));
  page.on('response', (response) => {
    if (response.status() !== 200) trouble.push(`${response.status()} ${response.url()}`);
  });
  try {
    await page.goto(`http://127.0.0.1:${pages.address().port}/${name}`);
    await check(page);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
}

const tiles = new Map();
async function tile(z, x, y) {
  const path = `/tiles/${z}/${x}/${y}.png`;
  if (!tiles.has(path)) {
    const answer = await fetch(server.url + path);
    assert.equal(answer.status, 200, path);
    tiles.set(path, png.PNG.sync.read(Buffer.from(await answer.arrayBuffer())));
  }
  return tiles.get(path);
}

/* The colour of the ground at a place, by the arithmetic of the manual: at zoom z a tile spans 2^(25−z) m, and tile
 * (z, 0, 0) begins at (−2²⁴, −2²⁴) m. */
async function colourAt(x, y, z) {
  const pixel = (metres) => Math.floor((metres + 2 ** 24) / 2 ** (17 - z));
  const [column, row] = [x, y].map(pixel);
  const { data } = await tile(z, Math.floor(column / 256), Math.floor(row / 256));
  const at = 4 * (256 * (row & 255) + (column & 255));
  return [...data.subarray(at, at + 3)];
}

async function screenshot(page, name) {
  const path = process.env.TERRANE_PICTURES && `${process.env.TERRANE_PICTURES}/${name}.png`;
  return png.PNG.sync.read(await page.screenshot(path ? { path } : {}));
}

/* Controls stand in the corners; most of these pixels are ground. */
const PIXELS = Array.from({ length: 60 }, (_, i) => [60 + ((i * 97) % 400), 60 + ((i * 61) % 260)]);

/* x and y of the centre, and the zoom. The last ones are beyond longitude 180° by Mercator's arithmetic. */
const VIEWS = [[0, 0, 8], [MARKER.x - 500, MARKER.y + 300, 13], [2 ** 24, -40960, 10], [-(2 ** 24) - 81920, 2 ** 25, 9],
  [3e9, -1e9, 12]];

for (const [name, library] of Object.entries(LIBRARIES)) {
  test(`${name} shows the world by the recipe of the manual`, { timeout: 180_000 }, () => withMap(name, async (page) => {
    for (const [x, y, z] of VIEWS) {
      const metres = 2 ** (17 - z);
      const centre = [x, y].map((v) => Math.round(v / metres) * metres);
      await page.evaluate(library.move, [...centre, z]);
      await page.waitForFunction(library.settled);
      const { data, width } = await screenshot(page, `${name}-${x}-${y}-${z}`);
      let same = 0;
      for (const [column, row] of PIXELS) {
        const place = [centre[0] + (column + 0.5 - SIZE.width / 2) * metres, centre[1] + (row + 0.5 - SIZE.height / 2) * metres];
        const is = [...data.subarray(4 * (row * width + column), 4 * (row * width + column) + 3)];
        same += (await colourAt(...place, z)).every((value, i) => Math.abs(value - is[i]) <= 1);
      }
      assert.ok(same >= PIXELS.length - 6, `${same} of ${PIXELS.length} pixels at ${x}, ${y}, zoom ${z}`);
    }
  }));

  test(`${name} puts a marker at its place`, { timeout: 180_000 }, () => withMap(name, async (page) => {
    await page.evaluate(library.move, [MARKER.x - 512, MARKER.y + 256, 13]);
    await page.waitForFunction(library.settled);
    /* 512 m east and 256 m north of the centre, 16 m a pixel. */
    const drawn = await page.evaluate(library.pixel, [MARKER.x, MARKER.y]);
    assert.deepEqual([drawn.x, drawn.y].map(Math.round), [SIZE.width / 2 + 32, SIZE.height / 2 - 16]);
    const { data, width } = await screenshot(page, `${name}-marker`);
    let different = 0;
    for (let row = -20; row < 4; row++)
      for (let column = -6; column < 6; column++) {
        const at = 4 * ((drawn.y + row) * width + drawn.x + column);
        const ground = await colourAt(MARKER.x + (column + 0.5) * 16, MARKER.y + (row + 0.5) * 16, 13);
        different += ground.some((value, i) => Math.abs(value - data[Math.round(at) + i]) > 8);
      }
    assert.ok(different > 40, `${different} pixels are not ground`);
  }));
}

test('places in Mercator maps are those of the manual', async () => {
  const [, code] = /```js\n(const lngLat = .*?)```/s.exec(MANUAL);
  const lngLat = new Function(`${code}; return lngLat;`)();
  for (const [x, y] of [[0, 0], [1e6, -2e6], [-1.5e7, 1.2e7]]) {
    const [lon, lat] = lngLat(x, y);
    const position = await (await fetch(`${server.url}/at?lon=${lon}&lat=${lat}`)).json();
    assert.ok(Math.hypot(position.x - x, position.y - y) < 0.01, JSON.stringify(position));
  }
});
