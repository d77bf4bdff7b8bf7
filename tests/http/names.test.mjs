/* Names on the map: /labels against itself, in rectangles and their quarters, at places on land and
 * zooms of a map. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { makeRandom } from './tile-addresses.mjs';

const PLACES = Number(process.env.TERRANE_LABEL_PLACES ?? 3);
const EARTH = 2 ** 24 / Math.PI; /* the radius of the map's Mercator */
const server = serverOfFile({ arguments: ['--request-cost', '10000'] });

async function get(path, status = 200) {
  const response = await fetch(`${server.url}/worlds/terra${path}`);
  assert.equal(response.status, status, path);
  return response.json();
}

const pixel = (zoom) => 2 ** (17 - zoom);
const around = ([x, y], zoom, side = 1024) => [x, y, x, y].map((at, i) => at + (i < 2 ? -1 : 1) * side / 2 * pixel(zoom));
const labelsOf = async (bbox, zoom) => (await get(`/labels?bbox=${bbox}&zoom=${zoom}`)).labels;

/* Places on land, the same in each run. */
async function landPlaces(count) {
  const random = makeRandom(16);
  const places = [];
  while (places.length < count) {
    const points = Array.from({ length: 8 }, () => [0, 0].map(() => Number(random(-12000000n, 12000000n))));
    const response = await fetch(`${server.url}/worlds/terra/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: 9 }) });
    const { heights } = await response.json();
    places.push(...points.filter((_, i) => heights[i] > 5));
  }
  return places.slice(0, count);
}

test('a map of land has 8 to 40 names, none at the same place', { timeout: 60_000 }, async () => {
  for (const place of await landPlaces(PLACES))
    for (const zoom of [3, 5, 6, 8, 10, 12, 14, 16]) {
      const labels = await labelsOf(around(place, zoom), zoom);
      assert.ok(labels.length >= 8 && labels.length <= 40, `${labels.length} at zoom ${zoom} around ${place}`);
      assert.ok(labels.every(({ rank, name }) => rank <= zoom && name.length > 1));
      for (const [i, { x, y }] of labels.entries())
        assert.ok(labels.every((other, k) => k >= i || Math.max(Math.abs(other.x - x), Math.abs(other.y - y)) > 10 * pixel(zoom)));
    }
});

test('rectangles have the same names in any order', { timeout: 60_000 }, async () => {
  for (const [place, zoom] of [[[-5488774, -12549516], 7], [[-5488774, -12549516], 11], [[-5300000, -12400000], 14]]) {
    const [west, north, east, south] = around(place, zoom);
    const [x, y] = place;
    const whole = new Map((await labelsOf([west, north, east, south], zoom)).map((label) => [label.id, label]));
    const quarters = [[x, y, east, south], [west, north, x, y], [west, y, x, south], [x, north, east, y]];
    const parts = [];
    for (const quarter of quarters) parts.push(...await labelsOf(quarter, zoom));
    assert.equal(parts.length, whole.size);
    for (const label of parts) assert.deepEqual(whole.get(label.id), label);
  }
});

test('names stay while one zooms in, but for those that give way', { timeout: 60_000 }, async () => {
  const bbox = around([-5488774, -12549516], 8);
  let stayed = 0;
  for (const zoom of [6, 7, 8]) {
    const closer = new Map((await labelsOf(bbox, zoom + 1)).map((label) => [label.id, label]));
    for (const label of await labelsOf(bbox, zoom)) {
      if (['peak', 'hill'].includes(label.kind) || label.rank < zoom - 4) continue;
      assert.deepEqual(closer.get(label.id), label);
      stayed++;
    }
  }
  assert.ok(stayed > 5, `${stayed} names`);
});

test('names as GeoJSON and text are the same', async () => {
  const query = `bbox=${around([-5488774, -12549516], 9)}&zoom=9`;
  const { labels, count } = await get(`/labels?${query}`);
  assert.equal(count, labels.length);
  const { features } = await get(`/labels.geojson?${query}`);
  assert.equal(features.length, count);
  for (const [i, { id, geometry: { type, coordinates: [longitude, latitude] }, properties }] of features.entries()) {
    const { x, y } = labels[i];
    assert.equal(type, 'Point');
    assert.deepEqual({ id, ...properties }, labels[i]);
    assert.ok(Math.abs(longitude - x / EARTH * 180 / Math.PI) < 1e-6);
    assert.ok(Math.abs(latitude - (2 * Math.atan(Math.exp(-y / EARTH)) * 180 / Math.PI - 90)) < 1e-6);
  }
  const text = await (await fetch(`${server.url}/worlds/terra/labels?${query}&format=text`)).text();
  const [head, ...lines] = text.trimEnd().split('\n').map((line) => line.split('\t'));
  assert.deepEqual(head, ['id', 'name', 'kind', 'x', 'y', 'rank', 'size']);
  assert.deepEqual(lines.map(([id, name, kind, x, y]) => [id, name, kind, Number(x), Number(y)]),
    labels.map(({ id, name, kind, x, y }) => [id, name, kind, x, y]));
});

test('rivers have the ids and places of /rivers', async () => {
  const bbox = around([-5488774, -12549516], 10);
  const labels = await labelsOf(bbox, 10);
  const rivers = labels.filter(({ kind }) => kind === 'river' || kind === 'stream');
  const { rivers: known } = await get(`/rivers?bbox=${bbox}&min_flow=50000000`);
  assert.ok(rivers.length > 2);
  for (const { id, size, x, y } of rivers) {
    const river = known.find((each) => each.id === id);
    assert.ok(Math.abs(river.flow - size) <= 1e-6 * size);
    const away = Math.min(...river.line.map(([east, south]) => Math.hypot(east - x, south - y)));
    assert.ok(away < 300, `${away} m from the river`); /* half of 256 m between vertices, and its bends */
  }
});

test('too large a rectangle is refused with the zoom that fits', async () => {
  const { detail } = await get('/labels?bbox=-9000000,0,9000000,9000&zoom=9', 413);
  assert.match(detail, /at zoom 9: at most 2097152 m a side fit, or zoom=5$/);
  for (const query of ['bbox=0,0,9,9', 'bbox=0,0,9,9&zoom=21', 'bbox=0,0,9,9&zoom=x'])
    assert.equal((await get(`/labels?${query}`, 400)).parameter, 'zoom');
  assert.deepEqual((await get('/labels?bbox=0,0,9,9&zoom=2')).labels, []);
});
