/* Labels of vector tiles: peaks, read by Mapbox's decoder, against /heights and each other. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { serverOfFile } from '../tools/server.mjs';

const server = serverOfFile({ arguments: ['--worlds', fileURLToPath(new URL('../worlds', import.meta.url))] });
const PLACE = [589028, 1149280]; /* on land in drained.json */

async function layersOf(z, x, y, query = '?labels=1') {
  const response = await fetch(`${server.url}/worlds/drained/tiles/contour/${z}/${x}/${y}.mvt${query}`);
  assert.equal(response.status, 200);
  return new VectorTile(new PbfReader(Buffer.from(await response.arrayBuffer()))).layers;
}

const tileAt = (z) => PLACE.map((metres) => Math.floor((metres + 2 ** 24) / 2 ** (25 - z)));

/* The peaks of a tile by id: height and place in metres. */
async function peaksOf(z, x, y) {
  const span = 2 ** (25 - z);
  const { labels } = await layersOf(z, x, y);
  const peaks = new Map();
  let count = 0;
  for (let i = 0; i < (labels?.length ?? 0); i++) {
    const feature = labels.feature(i);
    if (feature.properties.class !== 'peak') continue;
    assert.equal(feature.type, 1);
    assert.deepEqual(Object.keys(feature.properties).slice(0, 2), ['class', 'ele']);
    assert.ok(feature.id <= Number.MAX_SAFE_INTEGER);
    const [[at]] = feature.loadGeometry();
    assert.ok(at.x >= 0 && at.x < 4096 && at.y >= 0 && at.y < 4096);
    count++;
    peaks.set(feature.id, { ele: feature.properties.ele, x: (x + at.x / 4096) * span - 2 ** 24, y: (y + at.y / 4096) * span - 2 ** 24 });
  }
  assert.equal(peaks.size, count);
  return peaks;
}

test('peaks stay where they are, and closer zooms have more', { timeout: 60_000 }, async () => {
  let shared = 0;
  for (const z of [6, 8, 10, 13, 15]) {
    const [x, y] = tileAt(z);
    const pixel = 2 ** (17 - z);
    const closer = new Map();
    for (const [column, row] of [[0, 0], [1, 0], [0, 1], [1, 1]])
      for (const [id, peak] of await peaksOf(z + 1, 2 * x + column, 2 * y + row)) {
        assert.ok(!closer.has(id), 'in one tile alone');
        closer.set(id, peak);
      }
    for (const [id, { ele, ...peak }] of await peaksOf(z, x, y)) {
      const same = closer.get(id);
      assert.ok(same, `${id} of zoom ${z}`);
      assert.equal(same.ele, ele);
      assert.ok(Math.hypot(same.x - peak.x, same.y - peak.y) < pixel / 8);
      shared++;
    }
  }
  assert.ok(shared > 10, `${shared} peaks`);
});

test('a peak has the height of the ground at its place', async () => {
  const z = 14;
  const peaks = [...(await peaksOf(z, ...tileAt(z))).values()];
  assert.ok(peaks.length > 0);
  const points = peaks.map(({ x, y }) => [x, y]);
  const response = await fetch(`${server.url}/worlds/drained/heights`, { method: 'POST', body: JSON.stringify({ points }) });
  const { heights } = await response.json();
  /* Tiles have places and heights to half a metre. */
  for (const [i, { ele }] of peaks.entries()) assert.ok(Math.abs(heights[i] - ele) <= 1, `${heights[i]} m, not ${ele} m`);
});

test('labels are for those who ask', async () => {
  const at = tileAt(10);
  assert.ok((await layersOf(10, ...at)).labels);
  for (const query of ['', '?labels=0']) assert.equal((await layersOf(10, ...at, query)).labels, undefined);
  const tag = async (query) => (await fetch(`${server.url}/tiles/contour/9/256/258.mvt${query}`)).headers.get('etag');
  assert.equal(await tag(''), await tag('?labels=0'));
  assert.notEqual(await tag(''), await tag('?labels=1'));
  const refused = await fetch(`${server.url}/tiles/3/4/2.png?labels=1`);
  assert.deepEqual([refused.status, (await refused.json()).parameter], [400, 'labels']);
});

test('TileJSON with labels lists their layer, and its tiles have them', async () => {
  const load = async (query) => (await fetch(`${server.url}/worlds/drained/tiles/contour.json?format=mvt${query}`)).json();
  const { tiles: [template], vector_layers: layers } = await load('&labels=1');
  assert.match(template, /\.mvt\?labels=1$/);
  assert.deepEqual(Object.keys(layers.find(({ id }) => id === 'labels').fields), ['class', 'ele', 'name', 'rank', 'size', 'angle']);
  const plain = await load('');
  assert.match(plain.tiles[0], /\.mvt$/);
  assert.ok(!plain.vector_layers.some(({ id }) => id === 'labels'));
});

test("the manual's layer is one of a MapLibre style", () => {
  const manual = readFileSync(new URL('../../server/http/README.md', import.meta.url), 'utf8');
  const layer = JSON.parse(/```json\n(\{\n {2}"id": "peaks"[^`]+)```/.exec(manual)[1]);
  const sources = { labels: { type: 'vector', url: 'http://127.0.0.1/tiles/contour.json?format=mvt&labels=1' } };
  assert.deepEqual(validateStyleMin({ version: 8, sources, layers: [layer] }), []);
});
