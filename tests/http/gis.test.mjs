/* GDAL opens the documents for GIS programs and reads the same pixels and heights as other clients. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import png from 'pngjs';
import { serverOfFile } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const HALF = Math.PI * 6378137; /* of Web Mercator's square */
const SIDE = 2 ** 28; /* its pixels at zoom 20 */

const folder = temporaryFolder().path;
const worlds = makeWorlds();
worlds.edit('clock', (world) => {
  world.title = `<Clock> & "Co's" ]]>\u0001`;
  world.styles.own.title = '<own>&amp;';
});
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });

/* Runs a program of GDAL in a temporary folder, as GDAL writes caches to its working folder. */
async function gdal(program, words, input = '') {
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, GDAL_DEFAULT_WMS_CACHE_PATH: `${folder}/cache`, GDAL_PAM_ENABLED: 'NO', no_proxy: '*' },
  });
  child.stdin.end(input);
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(complaints, '');
  return output;
}

/* The bands' values at pixels, in the resolution of a zoom. */
async function pixelsAt(source, z, pixels, bands) {
  /* GDAL counts in pixels of zoom 20. Their corners, as its versions round middles differently. */
  const scale = 2 ** (20 - z);
  const input = pixels.map(([i, j]) => `${i * scale} ${j * scale}\n`).join('');
  const overview = z < 20 ? ['-overview', String(20 - z)] : [];
  const output = await gdal('gdallocationinfo', ['-valonly', ...overview, source], input);
  const values = output.trim().split(/\s+/).map(Number);
  assert.equal(values.length, bands * pixels.length);
  return pixels.map((_, k) => values.slice(k * bands, (k + 1) * bands));
}

async function tilePixel(style, z, [i, j]) {
  const address = `${server.url}/worlds/clock/tiles/${style}/${z}/${i >> 8}/${j >> 8}.png`;
  const { data } = png.PNG.sync.read(Buffer.from(await (await fetch(address)).arrayBuffer()));
  return [...data.subarray(4 * (256 * (j & 255) + (i & 255))).subarray(0, 3)];
}

function checkPlace({ size, geoTransform, coordinateSystem }) {
  assert.deepEqual(size, [SIDE, SIDE]);
  const pixel = (2 * HALF) / SIDE;
  [-HALF, pixel, 0, HALF, 0, -pixel].forEach((expected, i) => {
    assert.ok(Math.abs(geoTransform[i] - expected) < 1e-6, `${geoTransform}`);
  });
  assert.match(coordinateSystem.wkt, /ID\["EPSG",3857\]\]$/);
}

/* Random places, the same in every run. */
function* randomPlaces(size) {
  for (let state = 12345; ;) {
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * size);
    };
    yield [next(), next()];
  }
}

test('GDAL reads heights from gdal.xml at 100 places', async () => {
  for (const [z, count] of [[20, 40], [15, 30], [9, 20], [1, 10]]) {
    const places = randomPlaces(256 * 2 ** z);
    const pixels = Array.from({ length: count }, () => places.next().value);
    const values = await pixelsAt(`${server.url}/gdal.xml?style=terrarium`, z, pixels, 3);
    const step = 2 ** (17 - z);
    const points = pixels.map((pixel) => pixel.map((index) => -(2 ** 24) + (index + 0.5) * step));
    const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: z }) });
    const heights = (await answer.json()).heights.map(Math.fround);
    values.forEach(([red, green, blue], i) => {
      const height = red * 256 + green + blue / 256 - 32768;
      assert.ok(Math.abs(height - heights[i]) <= 1 / 512, `${height} for ${heights[i]} at ${points[i]}, zoom ${z}`);
    });
    assert.ok(new Set(heights).size > count / 2);
  }
});

test('gdal.xml covers the map in three bands for every style', async () => {
  for (const style of ['', '?style=own', '?style=height', '?style=tide', '?style=terrarium']) {
    const source = `${server.url}/worlds/clock/gdal.xml${style}`;
    const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
    checkPlace(info);
    assert.equal(info.bands.length, 3);
    assert.equal(info.bands[0].overviews.length, 20);
    assert.deepEqual(info.bands[0].block, [256, 256]);
    const pixel = [1000, 900];
    assert.deepEqual(await pixelsAt(source, 5, [pixel], 3), [await tilePixel(style.slice(7) || 'relief', 5, pixel)]);
  }
  const biomes = await pixelsAt(`${server.url}/gdal.xml?style=biome`, 3, [[700, 700]], 3);
  assert.ok(biomes[0].some((value) => value > 31), 'colours, not indices');
  assert.ok(!readdirSync(folder).includes('gdalwmscache'), 'no folder is left where it runs');
});

test('GDAL reads 16-bit grey as one band of numbers', async () => {
  const source = `${server.url}/worlds/clock/gdal.xml?style=grey16`;
  const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
  checkPlace(info);
  assert.deepEqual(info.bands.map(({ type }) => type), ['UInt16']);
  const z = 12;
  const places = randomPlaces(256 * 2 ** z);
  const pixels = Array.from({ length: 20 }, () => places.next().value);
  const values = await pixelsAt(source, z, pixels, 1);
  const points = pixels.map((pixel) => pixel.map((index) => -(2 ** 24) + (index + 0.5) * 32));
  const answer = await fetch(`${server.url}/worlds/clock/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: z }) });
  /* The layer's range is -200 … 200. */
  const expected = (await answer.json()).heights.map((height) => Math.round(((height + 200) / 400) * 65535));
  values.forEach(([value], i) => assert.ok(Math.abs(value - expected[i]) <= 1, `${value} for ${expected[i]}`));
  assert.ok(new Set(values.flat()).size > 10);
});

test('GDAL opens wmts.xml and each of its layers', async () => {
  const address = `WMTS:${server.url}/worlds/clock/wmts.xml`;
  const { metadata } = JSON.parse(await gdal('gdalinfo', ['-json', address]));
  const all = (await (await fetch(`${server.url}/worlds/clock`)).json()).styles;
  assert.ok(all.some(({ name }) => name === 'grey16'));
  const styles = all.filter(({ name }) => name !== 'grey16'); /* GDAL would clamp it to 255 */
  const listed = Object.values(metadata.SUBDATASETS).filter((value) => value.startsWith('WMTS:'));
  assert.deepEqual(listed, styles.map(({ name }) => `${address},layer=${name}`));
  for (const { name, title } of styles) {
    const source = `${address},layer=${name}`;
    const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
    checkPlace(info);
    assert.equal(info.metadata[''].TITLE, `<Clock> & "Co's" ]]>\ufffd – ${title}`);
    assert.equal(info.bands[0].overviews.length, 20);
    for (const [z, pixel] of [[0, [128, 100]], [7, [20000, 12345]], [20, [SIDE - 1, 5]]]) {
      const [value] = await pixelsAt(source, z, [pixel], 4);
      assert.deepEqual(value, [...await tilePixel(name, z, pixel), 255], `${name} ${z}`);
    }
  }
});

test('wmts.xml of one style, and as QGIS requests it', async () => {
  const load = async (query) => (await fetch(`${server.url}/wmts.xml${query}`)).text();
  const all = await load('');
  assert.equal(await load('?SERVICE=WMS&REQUEST=GetCapabilities'), all);
  assert.equal(await load('?service=wmts&request=getcapabilities&version=1.0.0'), all);
  const one = await load('?style=relief');
  assert.equal(one.match(/<Layer>/g).length, 1);
  assert.ok(all.includes(one.slice(one.indexOf('<Layer>'), one.indexOf('</Layer>'))));
  JSON.parse(await gdal('gdalinfo', ['-json', `WMTS:${server.url}/wmts.xml?style=relief`]));
  const bad = async (path) => (await fetch(server.url + path)).status;
  assert.equal(await bad('/wmts.xml?SERVICE=WFS'), 400);
  assert.equal(await bad('/wmts.xml?REQUEST=GetTile'), 400);
  assert.equal(await bad('/wmts.xml?style=relif'), 404);
  assert.equal(await bad('/gdal.xml?style=relif'), 404);
  assert.equal(await bad('/worlds/nobody/gdal.xml'), 404);
  assert.equal(await bad('/worlds/nobody/wmts.xml'), 404);
});

/* From the standard (07-057r7, annex E.4): the first scale denominators of GoogleMapsCompatible. */
test('the tile matrices are those of the standard', async () => {
  const capabilities = await (await fetch(`${server.url}/wmts.xml`)).text();
  const scales = [...capabilities.matchAll(/<ScaleDenominator>([^<]*)</g)].map(([, value]) => Number(value));
  assert.equal(scales.length, 21);
  [559082264.0287178, 279541132.0143589, 139770566.0071794, 69885283.00358972].forEach((expected, z) => {
    assert.ok(Math.abs(scales[z] / expected - 1) < 1e-12);
  });
  assert.ok(Math.abs(scales[18] - 2132.729583849784) < 1e-9);
  const widths = [...capabilities.matchAll(/<MatrixWidth>(\d+)</g)].map(([, value]) => Number(value));
  assert.deepEqual(widths, Array.from({ length: 21 }, (_, z) => 2 ** z));
});

test('the addresses in gdal.xml and wmts.xml are pinned', async () => {
  for (const [file, pattern, values] of [
    ['wmts.xml', /template="([^"]*)"/g, { TileMatrix: 3, TileCol: 4, TileRow: 2 }],
    ['gdal.xml', /<ServerUrl>([^<]*)</g, { z: 3, x: 4, y: 2 }],
  ]) {
    const response = await fetch(`${server.url}/worlds/clock~%C3%A4%26~/${file}`);
    assert.equal(response.headers.get('content-type'), 'application/xml');
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const templates = [...(await response.text()).matchAll(pattern)].map(([, template]) => template);
    assert.ok(templates.length > 0);
    for (const template of templates) {
      const tile = await fetch(template.replace(/\$?\{(\w+)\}/g, (_, key) => values[key]));
      assert.equal(tile.status, 200, template);
      assert.match(tile.headers.get('cache-control'), /immutable/);
    }
  }
});
