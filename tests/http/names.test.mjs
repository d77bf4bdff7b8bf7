/* Names on the map: /labels against itself, in rectangles and their quarters, at places on land and
 * zooms of a map. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
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
      const apart = labels.filter(({ kind }) => kind !== 'river' && kind !== 'stream').map(({ name }) => name);
      assert.equal(new Set(apart).size, apart.length, `a name twice at zoom ${zoom} around ${place}`);
      for (const [i, { x, y }] of labels.entries())
        assert.ok(labels.every((other, k) => k >= i || Math.max(Math.abs(other.x - x), Math.abs(other.y - y)) > 10 * pixel(zoom)));
    }
});

test('maps of worlds without streams have 8 to 40 names', { timeout: 60_000 }, async () => {
  for (const [world, x, y] of [['dunes', -184500, -25500], ['perlin', -60000, 90000], ['fog', 0, 0]])
    for (const zoom of [10, 12, 13, 16]) {
      const response = await fetch(`${server.url}/worlds/${world}/labels?bbox=${around([x, y], zoom)}&zoom=${zoom}`);
      const { count, labels } = await response.json();
      assert.ok(count >= 8 && count <= 40, `${world}: ${count} at zoom ${zoom}`);
      assert.equal(new Set(labels.map(({ name }) => name)).size, count, `${world}: a name twice at zoom ${zoom}`);
    }
});

test('rectangles have the same names in any order', { timeout: 60_000 }, async () => {
  for (const [place, zoom] of [[[-1200000, 300000], 7], [[-1200000, 300000], 11], [[-1180000, 310000], 14]]) {
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
  const bbox = around([-1200000, 300000], 8);
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

/* The named features of a tile's layer of labels, and its square in metres. */
async function tileNames(z, x, y) {
  const response = await fetch(`${server.url}/worlds/terra/tiles/contour/${z}/${x}/${y}.mvt?labels=1`);
  assert.equal(response.status, 200);
  const { labels } = new VectorTile(new PbfReader(Buffer.from(await response.arrayBuffer()))).layers;
  const span = 2 ** (25 - z);
  const [west, north] = [x, y].map((index) => index * span - 2 ** 24);
  const features = Array.from({ length: labels?.length ?? 0 }, (_, i) => labels.feature(i)).filter(({ properties }) => properties.name);
  return { features, bbox: [west, north, west + span, north + span], span };
}

const tileAt = (place, z) => place.map((metres) => Math.floor((metres + 2 ** 24) / 2 ** (25 - z)));

test('tiles have the names of /labels of the next zoom: points where they are, rivers as lines', { timeout: 60_000 }, async () => {
  let [points, lines] = [0, 0];
  for (const z of [4, 7, 9, 12]) {
    const [x, y] = tileAt([-1200000, 300000], z);
    for (const [column, row] of [[x, y], [x - 1, y], [x, y - 1], [x - 1, y - 1]]) {
      const { features, bbox: [west, north, east, south], span } = await tileNames(z, column, row);
      const known = new Map((await labelsOf([west, north, east, south], z + 1)).map((label) => [label.id, label]));
      const shown = [...known.values()].filter(({ kind }) => kind !== 'river' && kind !== 'stream');
      const dots = features.filter(({ type }) => type === 1);
      assert.deepEqual(dots.map(({ id }) => String(id)).sort(), shown.map(({ id }) => id).sort());
      for (const feature of dots) {
        const { name, rank, kind, ...label } = known.get(String(feature.id));
        const [[at]] = feature.loadGeometry();
        assert.deepEqual([feature.properties.name, feature.properties.rank], [name, rank]);
        assert.equal(feature.properties.class, kind === 'hill' ? 'peak' : kind);
        assert.ok(Math.hypot(west + at.x / 4096 * span - label.x, north + at.y / 4096 * span - label.y) < span / 2048);
        points++;
      }
      for (const { properties } of features.filter(({ type }) => type === 2)) {
        assert.ok(['river', 'stream'].includes(properties.class) && properties.rank <= z + 1);
        lines++;
      }
    }
  }
  assert.ok(points > 15 && lines > 8, `${points} points, ${lines} lines`);
});

test('the style letters names for those who ask', async () => {
  const [plain, lettered] = await Promise.all(['', '?labels=1'].map((query) => get(`/style.json${query}`)));
  const names = (style) => style.layers.filter((layer) => layer['source-layer'] === 'labels');
  assert.deepEqual(validateStyleMin(lettered), []);
  assert.equal(names(plain).length, 0);
  assert.doesNotMatch(plain.sources.contour.tiles[0], /labels/);
  assert.match(lettered.sources.contour.tiles[0], /\.mvt\?labels=1$/);
  const known = ['peak', 'river', 'stream', 'plain', 'plateau', 'desert', 'forest', 'island', 'range', 'sea', 'bay',
    'fjord', 'strait', 'cape', 'pass', 'lake', 'mouth'];
  const { features } = await tileNames(8, ...tileAt([-1200000, 300000], 8));
  assert.ok(features.length > 0);
  /* Each kind is lettered by one layer. */
  for (const kind of known)
    assert.equal(names(lettered).filter(({ filter }) => JSON.stringify(filter).includes(`"${kind}"`)).length, 1, kind);
  for (const { properties } of features) assert.ok(known.includes(properties.class));
});

test('a river has one name in tiles side by side', { timeout: 60_000 }, async () => {
  const z = 8;
  const [x, y] = tileAt([-1200000, 300000], z);
  const names = new Map();
  let shared = 0;
  for (const [column, row] of [[x, y], [x - 1, y], [x, y - 1], [x - 1, y - 1]])
    for (const { type, properties, id } of (await tileNames(z, column, row)).features) {
      if (type !== 2) continue;
      assert.ok((names.get(id) ?? properties.name) === properties.name);
      shared += names.has(id);
      names.set(id, properties.name);
    }
  assert.ok(shared > 0);
});

test('names as GeoJSON and text are the same', async () => {
  const query = `bbox=${around([-1200000, 300000], 9)}&zoom=9`;
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

test('capes have land and water around them', async () => {
  let count = 0;
  for (const zoom of [7, 9, 11]) {
    const response = await fetch(`${server.url}/worlds/archipelago/labels?bbox=${around([300000, -200000], zoom)}&zoom=${zoom}`);
    const { labels } = await response.json();
    for (const { x, y, rank } of labels.filter(({ kind }) => kind === 'cape')) {
      const points = Array.from({ length: 49 }, (_, i) => [x + (i % 7 - 3) * 8 * pixel(rank), y + (Math.floor(i / 7) - 3) * 8 * pixel(rank)]);
      const answer = await fetch(`${server.url}/worlds/archipelago/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: rank }) });
      const { heights } = await answer.json();
      assert.ok(heights.some((height) => height > 0) && heights.filter((height) => height <= 0).length > 15, `cape at ${x}, ${y}`);
      count++;
    }
  }
  assert.ok(count > 1, `${count} capes`);
});

test('mouths are where rivers of /rivers end at the sea', { timeout: 30_000 }, async () => {
  let count = 0;
  for (const [place, zoom] of [[[-1700000, 610000], 9], [[1515000, 1445000], 9], [[115000, 62000], 9], [[330000, 690000], 10]])
    for (const { x, y, rank, name, kind } of await labelsOf(around(place, zoom), zoom)) {
      if (kind !== 'mouth') continue;
      const { rivers } = await get(`/rivers?bbox=${around([x, y], 17, 6000)}&min_flow=40000000`);
      const ends = rivers.filter(({ end }) => end === 'sea').map(({ line }) => line.at(-1));
      const away = Math.min(...ends.map(([east, south]) => Math.hypot(east - x, south - y)));
      assert.ok(away < pixel(rank), `${name}: ${away} m from the end of a river`);
      count++;
    }
  assert.ok(count > 5, `${count} mouths`);
});

test('rivers have the ids and places of /rivers', async () => {
  const bbox = around([-1200000, 300000], 10);
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
  for (const path of ['/labels?bbox=-9000000,0,9000000,9000&zoom=9', '/labels?bbox=-9000000,-4000000,9000000,4000000&zoom=12']) {
    const { detail, fits, parameter } = await get(path, 413);
    assert.equal(parameter, 'zoom');
    assert.match(detail, new RegExp(`; zoom=${fits} would fit$`));
    await get(path.replace(/zoom=\d+/, `zoom=${fits}`));
    await get(path.replace(/zoom=\d+/, `zoom=${fits + 1}`), 413);
  }
  for (const query of ['bbox=0,0,9,9', 'bbox=0,0,9,9&zoom=21', 'bbox=0,0,9,9&zoom=x'])
    assert.equal((await get(`/labels?${query}`, 400)).parameter, 'zoom');
  assert.deepEqual((await get('/labels?bbox=0,0,9,9&zoom=2')).labels, []);
});

test('a world without names says so in its descriptor', async () => {
  const fingerprint = async (world) => (await (await fetch(`${server.url}/worlds/${world}`)).json()).names_fingerprint;
  assert.match(await fingerprint('terra'), /^n1-[0-9a-f]{16}$/);
  assert.equal(await fingerprint('terra~7'), await fingerprint('terra'));
  assert.equal(await fingerprint('wood'), null);
  const { labels } = await (await fetch(`${server.url}/worlds/wood/labels?bbox=-90000,-90000,90000,90000&zoom=9`)).json();
  assert.deepEqual(labels, []);
});

/* A copy of terra with these names, and what its labels are around a place. */
async function labelsWith(names, place, zoom) {
  const folder = temporaryFolder();
  const world = JSON.parse(readFileSync(new URL('../../config/worlds/terra.json', import.meta.url), 'utf8'));
  writeFileSync(folder.file('named.json'), JSON.stringify({ ...world, names }));
  const own = await startServer({ arguments: ['--worlds', folder.file('named.json'), '--request-cost', '10000'] });
  try {
    const response = await fetch(`${own.url}/worlds/named/labels?bbox=${around(place, zoom)}&zoom=${zoom}`);
    assert.equal(response.status, 200);
    return (await response.json()).labels;
  } finally {
    assert.equal(await own.stop(), 0);
  }
}

test('names that a world fixes stand at their places, and others of their kind not near', { timeout: 60_000 }, async () => {
  const place = [-1200000, 300000];
  const fixed = { kind: 'forest', at: place, name: '玻璃 '.repeat(12) + '森林' };
  const near = ({ kind, x, y }) => kind === 'forest' && Math.hypot(x - place[0], y - place[1]) <= 100000;
  const before = await labelsWith({ tongues: ['nordic'] }, place, 8);
  assert.ok(before.some(near));
  const labels = await labelsWith({ tongues: ['nordic'], places: [fixed] }, place, 8);
  assert.deepEqual(labels.filter(near).map(({ name, x, y }) => ({ name, at: [x, y] })), [{ name: fixed.name, at: place }]);
  assert.ok(labels.length > 1);
  const alone = await labelsWith({ tongues: [], places: [fixed] }, place, 8);
  assert.deepEqual(alone.map(({ name }) => name), [fixed.name]);
});
