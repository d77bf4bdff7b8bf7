/* Queries about a place, a line or an area: each output against arithmetic by hand, or against what POST /heights says,
 * done again here the slow way; and what all queries have in common: entity tags, output forms, addresses, limits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { counts } from './busy.mjs';
import { answer, heights, load, near, server, text } from './queries.mjs';
import { makeWorlds } from './worlds.mjs';

const json = async (path, options) => (await load(path, options)).json();
const postHeights = async (body, path = '/heights') =>
  (await json(path, { method: 'POST', body: JSON.stringify(body) })).heights;

test('/at describes a place', async () => {
  const answer = await json('/worlds/clock/at?x=1000.5&y=-250');
  assert.equal(answer.world, 'clock');
  assert.equal(answer.seed, 'tick');
  assert.equal(answer.x, 1000.5);
  assert.equal(answer.y, -250);
  assert.equal(answer.layers.height, answer.height);
  assert.equal(answer.layers.tide, 0);
  assert.equal((await json('/worlds/clock/at?x=0&y=0&t=12.5')).layers.tide, 12.5);
  assert.deepEqual(await postHeights({ points: [[1000.5, -250]] }, '/worlds/clock/heights'), [answer.height]);
  const text = await load('/worlds/clock/at?x=1000.5&y=-250&format=text');
  assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(await text.text(), /^x\t1000\.5\tm$/m);
});

/* 90 degrees are a quarter of the 2^25 m that the map is wide; 41° 52′… see the unit test. */
test('degrees are Web Mercator', async () => {
  const { x, y } = await json('/at?lon=-90&lat=0');
  assert.deepEqual([x, y], [-8388608, 0]);
  const berlin = await json('/at?lon=13.405&lat=52.52&zoom=9');
  assert.ok(Math.abs(berlin.x - 1249436.558) < 0.001);
  assert.ok(Math.abs(berlin.y + 5772866.858) < 0.001);
  /* The slippy map's own tile numbers for Berlin, from the OpenStreetMap wiki's formula. */
  assert.deepEqual(berlin.tile, { z: 9, x: 275, y: 167 });
});

test('the entity tag of /at depends on its parameters', async () => {
  const tag = async (path) => (await load(path)).headers.get('etag');
  const plain = await tag('/worlds/clock/at?x=1&y=2');
  assert.match(plain, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
  for (const same of ['x=1&y=2', 'y=2.000&x=1e0', 'x=1&y=2&z=0&t=-0&pretty=0&format=json']) {
    assert.equal(await tag(`/worlds/clock/at?${same}`), plain, same);
  }
  const { fingerprint } = await json('/worlds/clock');
  const pinned = await load(`/worlds/clock@${fingerprint}/at?x=1&y=2`);
  assert.equal(pinned.headers.get('etag'), plain);
  assert.equal(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const others = ['clock/at?x=2&y=1', 'clock/at?x=1&y=2.0001', 'clock/at?x=1&y=2&z=1', 'clock/at?x=1&y=2&t=1',
    'clock/at?x=1&y=2&zoom=17', 'clock/at?x=1&y=2&zoom=0', 'clock/at?x=1&y=2&pretty=1',
    'clock/at?x=1&y=2&format=text', 'clock~2/at?x=1&y=2', 'terra/at?x=1&y=2'];
  const tags = await Promise.all(others.map((path) => tag(`/worlds/${path}`)));
  assert.equal(new Set([plain, ...tags]).size, others.length + 1);
});

test('an edited unit changes the entity tag, but not the fingerprint', async () => {
  const edited = makeWorlds();
  edited.edit('clock', (world) => {
    world.layers.height.unit = 'feet';
  });
  const other = await startServer({ arguments: ['--worlds', edited.folder] });
  try {
    const path = '/worlds/clock/at?x=1&y=2&format=text';
    const [before_, after_] = await Promise.all([load(path), fetch(other.url + path)]);
    assert.equal((await (await fetch(`${other.url}/worlds/clock`)).json()).fingerprint, (await json('/worlds/clock')).fingerprint);
    assert.notEqual(await after_.text(), await before_.text());
    assert.notEqual(after_.headers.get('etag'), before_.headers.get('etag'));
  } finally {
    await other.stop();
    edited.remove();
  }
});

test('heights of many points, at a level of detail, of another layer', async () => {
  const points = Array.from({ length: 10000 }, (_, i) => [i * 17.25, -i]);
  const all = await postHeights({ points });
  assert.equal(all.length, 10000);
  assert.equal(all[1234], (await json('/at?x=21286.5&y=-1234')).height);
  const coarse = await json('/at?x=100&y=100&zoom=5');
  assert.deepEqual(await postHeights({ points: [[100, 100]], zoom: 5 }), [coarse.height]);
  assert.deepEqual(await postHeights({ points: [[1, 2], [3, 4]], layer: 'tide' }, '/worlds/clock/heights'), [0, 0]);
  assert.deepEqual(await postHeights({ points: [] }), []);
  const response = await load('/heights', { method: 'POST', body: '{"points":[[0,0]]}' });
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
});

test('a coordinate keeps all its digits', async () => {
  /* 2^39 + 1/65536 m has more digits than a double. */
  const x = '549755813888.0000152587890625';
  const text = await (await load(`/at?x=${x}&y=0`)).text();
  assert.match(text, new RegExp(`"x":${x.replace('.', '\\.')},`));
});

test('a profile of a plane', async () => {
  const found = await answer('/profile?line=-100,0;300,0&samples=5');
  assert.match(found.fingerprint, /^g1-[0-9a-f]{32}$/);
  delete found.fingerprint;
  assert.deepEqual(found, {
    world: 'plane', seed: '7', length: 400, spacing: 0, ascent: 200, descent: 0, minimum: -50, maximum: 150,
    distances: [0, 100, 200, 300, 400], heights: [-50, 0, 50, 100, 150],
    water_levels: [0, 0, 0, 0, 0],
  });
});

test('a profile over a cone along a line with a corner', async () => {
  const found = await answer('/profile?line=-30,-40;0,0;0,25&samples=4', 'cone');
  assert.equal(found.length, 75);
  assert.deepEqual(found.distances, [0, 25, 50, 75]);
  found.heights.forEach((height, i) => near(height, [50, 75, 100, 75][i], 1e-4));
  near(found.ascent, 50, 1e-4);
  near(found.descent, 25, 1e-4);
});

test('a profile of terra has the heights of its places', async () => {
  const [x0, y0, x1, y1] = [-5000, 3000, 22000, -9000];
  const found = await answer(`/profile?line=${x0},${y0};${x1},${y1}&samples=97`, 'terra');
  const length = Math.hypot(x1 - x0, y1 - y0);
  near(found.length, length, 1e-6);
  const grid = (metres) => Math.round(metres * 65536) / 65536;
  const points = found.distances.map((_, i) => [grid(x0 + (x1 - x0) * (i / 96)), grid(y0 + (y1 - y0) * (i / 96))]);
  const direct = await heights(points);
  let [ascent, descent] = [0, 0];
  direct.forEach((height, i) => {
    near(found.distances[i], length * i / 96, 1e-6);
    near(found.heights[i], height, 1e-3); /* a place may be rounded to the other side */
    if (i > 0) {
      ascent += Math.max(0, height - direct[i - 1]);
      descent += Math.max(0, direct[i - 1] - height);
    }
  });
  near(found.ascent, ascent, 0.1);
  near(found.descent, descent, 0.1);
  assert.equal(found.minimum, Math.min(...found.heights));
  assert.equal(found.maximum, Math.max(...found.heights));
});

test('a profile over a lake has its level, as JSON and as SVG', async () => {
  /* Ground at 50 m; the lake's level is 60 m within 40 m of the origin, and 0 elsewhere. */
  const line = 'line=-60,0;60,0&samples=5';
  const { heights: ground, water_levels: levels } = await answer(`/profile?${line}`, 'lake');
  assert.deepEqual(ground, [50, 50, 50, 50, 50]);
  assert.deepEqual(levels, [0, 60, 60, 60, 0]);
  /* 40 to 60 m are shown, on 256 pixels from 280 upwards: 60 m are at the top, 24. The level at the
   * ends lies below the drawing. */
  const svg = await (await load(`/worlds/lake/profile.svg?${line}`)).text();
  const [, points] = /<polygon points="80 280 ([^"]*) 940 280"/.exec(svg);
  const across = points.split(' ').filter((_, i) => i % 2 === 0).map(Number);
  const down = points.split(' ').filter((_, i) => i % 2 === 1).map(Number);
  assert.deepEqual(across, [80, 295, 510, 725, 940]);
  assert.deepEqual(down, [280, 24, 24, 24, 280]);
  const dry = await load('/worlds/plane/profile.svg?line=10,0;90,0');
  assert.doesNotMatch(await dry.text(), /polygon/);
});

test('a profile has the level of detail of a zoom', async () => {
  const line = 'line=-300,40;900,500&samples=7';
  const [full, coarse] = await Promise.all(['', '&zoom=9'].map((zoom) => answer(`/profile?${line}${zoom}`, 'terra')));
  const points = coarse.distances.map((_, i) => [-300 + 200 * i, 40 + 460 / 6 * i]);
  const direct = await heights(points, 'height', 'terra', 9);
  direct.forEach((height, i) => near(coarse.heights[i], height, 1e-2));
  assert.notDeepEqual(full.heights, coarse.heights);
});

test('a profile as text has 256 samples by default', async () => {
  assert.equal(await text('/profile?line=0,0;10,0&samples=3&format=text'),
    'distance\theight\n0\t0\n5\t2.5\n10\t5\n');
  assert.equal((await answer('/profile?line=0,0;1,0')).heights.length, 256);
});

test('a profile as SVG', async () => {
  const response = await load('/worlds/plane/profile.svg?line=-100,0;300,0&samples=5');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/svg+xml');
  const svg = await response.text();
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*>\n[\s\S]*<\/svg>\n$/);
  /* Tags closed, and no character that needs escaping. */
  const open = [];
  for (const [, end, name, self] of svg.matchAll(/<(\/?)(\w+)[^<>]*?(\/?)>/g)) {
    if (end) assert.equal(open.pop(), name);
    else if (!self) open.push(name);
  }
  assert.deepEqual(open, []);
  /* 860 pixels for 400 m from 80 on: points at 80, 295, 510 …; a fifth of 256 pixels is air, the
   * rest for 200 m: heights fall evenly. */
  const [, path] = /d="M80 280L([^"]*)940 280Z"/.exec(svg);
  const numbers = path.trim().split(' ').map(Number);
  assert.deepEqual(numbers.filter((_, i) => i % 2 === 0), [80, 295, 510, 725, 940]);
  numbers.filter((_, i) => i % 2 === 1).forEach((y, i) => near(y, 258.67 - i * 53.333, 0.011));
  assert.match(svg, />-50 m</);
  assert.match(svg, />150 m</);
  assert.match(svg, />400 m</);
});

test('statistics of a plane', async () => {
  /* Samples at −95, −85 … 95 across: heights −47.5 … 47.5, a fifth of 20 rows of 5. */
  const found = await answer('/stats?bbox=-100,0,100,50&samples=20');
  assert.deepEqual(found.bbox, [-100, 0, 100, 50]);
  assert.deepEqual([found.columns, found.rows, found.step], [20, 5, 10]);
  assert.equal(found.land, 0.5);
  assert.deepEqual(found.biomes, { sea: 0.5, beach: 0.05, land: 0.45 });
  const { height, south } = found.layers;
  assert.equal(height.unit, 'm');
  assert.deepEqual([height.minimum, height.maximum, height.mean], [-47.5, 47.5, 0]);
  assert.deepEqual(height.percentiles, {
    1: -47.5, 5: -47.5, 10: -42.5, 25: -27.5, 50: -2.5, 75: 22.5, 90: 37.5, 95: 42.5, 99: 47.5,
  });
  assert.equal(height.histogram.length, 16);
  /* Bins of 95/16 = 5.9375: −47.5 and −42.5 are in the first, −37.5 in the second. */
  assert.deepEqual(height.histogram.slice(0, 3), [10, 5, 5]);
  assert.equal(height.histogram.reduce((a, b) => a + b), 100);
  assert.deepEqual([south.minimum, south.maximum, south.mean], [5, 45, 25]);
  assert.deepEqual(Object.keys(found.layers), ['height', 'south', 'moving', 'hills', 'both']);
});

/* At full detail, and at the grid's own, which is that of zoom 4. */
for (const [what, side, step, zoom, spacing, more] of [['at full detail', 16, 10000, undefined, 0, '&detail=full'],
  ['at the detail of the grid', 64, 8192, 4, 8192, '']])
test(`statistics of terra ${what} against /heights`, async () => {
  const half = side / 2 - 2, rows = 2 * half;
  const found = await answer(`/stats?bbox=${-half * step},${-half * step},${(half + 4) * step},${half * step}&samples=${side}${more}`, 'terra');
  assert.deepEqual([found.columns, found.rows, found.step, found.spacing], [side, rows, step, spacing]);
  const points = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < side; column++) points.push([(column - half + 0.5) * step, (row - half + 0.5) * step]);
  }
  for (const layer of ['height', 'temperature']) {
    const direct = await heights(points, layer, 'terra', zoom);
    const sorted = [...direct].sort((a, b) => a - b);
    const { minimum, maximum, mean, percentiles, histogram } = found.layers[layer];
    assert.equal(minimum, sorted[0]);
    assert.equal(maximum, sorted.at(-1));
    near(mean, direct.reduce((a, b) => a + b) / direct.length, 1e-6 * Math.max(1, Math.abs(maximum)));
    for (const [rank, value] of Object.entries(percentiles)) {
      assert.equal(value, sorted[Math.ceil(sorted.length * rank / 100) - 1]);
    }
    assert.equal(histogram.reduce((a, b) => a + b), points.length);
    if (layer === 'height') {
      const water = await heights(points, 'water_level', 'terra', zoom);
      assert.equal(found.land, direct.filter((h, i) => h >= water[i]).length / points.length);
    }
  }
  const { biomes } = await answer('', 'terra');
  const indices = await heights(points, 'biome', 'terra', zoom);
  for (const [i, { name }] of biomes.entries()) {
    assert.equal(found.biomes[name] ?? 0, indices.filter((index) => index === i).length / points.length, name);
  }
});

test('statistics as text', async () => {
  const lines = (await text('/stats?bbox=0,0,10,10&samples=1&format=text')).split('\n');
  assert.equal(lines[0], 'layer\tminimum\tmean\tp1\tp5\tp10\tp25\tp50\tp75\tp90\tp95\tp99\tmaximum\tunit');
  assert.equal(lines[1], `height${'\t2.5'.repeat(12)}\tm`);
  assert.deepEqual(lines.slice(-4), [lines.at(-4), 'land\t1', 'biome beach\t1', '']);
});

test('objects with density 1 fill every cell, as JSON and as GeoJSON', async () => {
  const found = await answer('/objects?bbox=-20,-30,50,20');
  assert.equal(found.count, 7 * 5);
  assert.equal(found.objects.length, 35);
  const cells = new Set();
  for (const { id, kind, x, y, height, scale, rotation } of found.objects) {
    assert.match(id, /^\d+$/);
    assert.equal(kind, 'post');
    assert.ok(x >= -20 && x < 50 && y >= -30 && y < 20);
    cells.add(`${Math.floor(x / 10)} ${Math.floor(y / 10)}`);
    near(height, x / 2, 1e-5);
    assert.ok(scale >= 0.75 && scale <= 1.25 && rotation >= 0 && rotation < 360);
  }
  assert.equal(cells.size, 35);
  const response = await load('/worlds/plane/objects.geojson?bbox=-20,-30,50,20');
  assert.equal(response.headers.get('content-type'), 'application/geo+json');
  const collection = await response.json();
  assert.equal(collection.type, 'FeatureCollection');
  assert.deepEqual(collection.features.map(({ id }) => id), found.objects.map(({ id }) => id));
  collection.features.forEach(({ type, geometry, properties }, i) => {
    const { id, ...rest } = found.objects[i];
    assert.deepEqual(properties, rest);
    assert.equal(type, 'Feature');
    assert.equal(geometry.type, 'Point');
    const [longitude, latitude, altitude] = geometry.coordinates;
    near(longitude, rest.x / 2 ** 24 * 180, 1e-12);
    near(latitude, Math.atan(Math.sinh(-rest.y / 2 ** 24 * Math.PI)) * 180 / Math.PI, 1e-9);
    assert.equal(altitude, rest.height);
  });
  const table = (await text('/objects?bbox=-20,-30,50,20&kind=post&format=text')).trim().split('\n');
  assert.equal(table[0], 'id\tkind\tx\ty\theight\tscale\trotation');
  assert.deepEqual(table.slice(1).map((line) => line.split('\t')[0]), found.objects.map(({ id }) => id));
  assert.equal((await answer('/objects?bbox=-20,-30,50,20&kind=none')).count, 0);
});

test('objects in binary are records of those in JSON', async () => {
  const { objects: kinds } = await json('/worlds/terra');
  const { objects } = await answer('/objects?bbox=-100,-100,150,150', 'terra');
  const response = await load('/worlds/terra/objects.bin?bbox=-100,-100,150,150');
  assert.equal(response.headers.get('content-type'), 'application/octet-stream');
  const bytes = Buffer.from(await response.arrayBuffer());
  const records = Array.from({ length: bytes.length / 40 }, (_, i) => bytes.subarray(40 * i, 40 * i + 40));
  assert.ok(objects.length > 50 && new Set(objects.map(({ kind }) => kind)).size > 1);
  assert.deepEqual(records.map((record) => ({
    id: String(record.readBigUInt64LE(0)),
    kind: kinds[record.readUInt32LE(36)].name,
    x: Number(record.readBigInt64LE(8)) / 65536,
    y: Number(record.readBigInt64LE(16)) / 65536,
    height: record.readFloatLE(24), scale: record.readFloatLE(28), rotation: record.readFloatLE(32),
  })), objects.map((object) => ({ ...object,
    height: Math.fround(object.height), scale: Math.fround(object.scale), rotation: Math.fround(object.rotation) })));
  const none = await load('/worlds/plane/objects.bin?bbox=-20,-30,50,20&kind=none');
  assert.deepEqual([none.status, (await none.arrayBuffer()).byteLength], [200, 0]);
});

test('the objects of four quarters are those of the whole', async () => {
  const ids = async (bbox) => (await answer(`/objects?bbox=${bbox}`, 'terra')).objects.map(({ id }) => id);
  const whole = await ids('-200,-200,200,200');
  assert.ok(whole.length > 100);
  const parts = [];
  for (const bbox of ['-200,-200,13.5,-7', '13.5,-200,200,-7', '-200,-7,13.5,200', '13.5,-7,200,200']) {
    parts.push(...await ids(bbox));
  }
  assert.deepEqual(parts.sort(), whole.sort());
});

test('too many objects give 413 with the limit', async () => {
  const response = await load('/worlds/plane/objects?bbox=0,0,1010,1000&kind=post');
  assert.equal(response.status, 413);
  assert.match((await response.json()).detail, /10000/);
  assert.equal((await answer('/objects?bbox=0,0,1000,1000&kind=post')).count, 10000);
  assert.equal((await load('/worlds/plane/objects?bbox=0,0,1e6,1e6')).status, 413);
});

test('/explain lists the terms of each layer', async () => {
  const found = await answer('/explain?x=6&y=7&t=3&z=4');
  assert.deepEqual(found.biome, { name: 'beach', rule: 2, rules: 3, when: 'height < 5' });
  assert.equal((await answer('/explain?x=60&y=7')).biome.when, null);
  assert.equal(found.spacing, 0);
  const layers = Object.fromEntries(found.layers.map(({ name, ...rest }) => [name, rest]));
  assert.deepEqual(layers.height, { formula: '0.5 * x', value: 3, unit: 'm', noises: [] });
  assert.equal(layers.south.value, 7);
  assert.equal(layers.moving.value, 7);
  assert.deepEqual(layers.hills.noises, [{ wavelength: 1024, octaves: 8, counted: 8 }]);
  assert.deepEqual(layers.both.noises, [{ wavelength: 64, octaves: 1, counted: 1 }]);
  const [[hills]] = [await heights([[6, 7]], 'hills', 'plane')];
  assert.equal(layers.hills.value, hills);
  /* Zoom 11 is 64 m a pixel: of 1024, 512 … 8 m those above 128 m count. */
  const far = await answer('/explain?x=6&y=7&zoom=11');
  assert.equal(far.spacing, 64);
  assert.deepEqual(far.layers.map(({ noises }) => noises.map(({ counted }) => counted)), [[], [], [], [3], [0]]);
  assert.equal((await answer('/explain?x=0&y=0', 'cone')).biome, null);
  const lines = (await text('/explain?x=6&y=7&format=text')).split('\n');
  assert.equal(lines[0], 'height\t3\tm\t0.5 * x');
  assert.equal(lines.at(-2), 'biome\tbeach\t\theight < 5');
});

test('/explain describes the stream of a place', async () => {
  assert.equal((await answer('/explain?x=6&y=7')).drainage, null);
  const { drainage, layers } = await answer('/explain?x=6000&y=7000&zoom=12', 'streams');
  const values = Object.fromEntries(layers.map(({ name, value }) => [name, value]));
  assert.deepEqual(Object.fromEntries(Object.keys(values).map((name) => [name, drainage[name]])), values);
  assert.ok(drainage.bed <= drainage.height && drainage.flow > 0 && drainage.order >= 1, JSON.stringify(drainage));
  const lines = await text('/explain?x=6000&y=7000&zoom=12&format=text', 'streams');
  assert.match(lines, new RegExp(`^drainage\\.order\t${drainage.order}\t\t$`, 'm'));
});

test('longitude and latitude are accepted as places', async () => {
  const found = await answer('/explain?lon=90&lat=0');
  assert.deepEqual([found.x, found.y], [2 ** 23, 0]);
  assert.equal((await answer('/locate?biome=land&lon=45&lat=0&radius=10')).x, 2 ** 22);
});

const asked = [
  '/profile?line=0,0;100,0', '/profile.svg?line=0,0;100,0', '/stats?bbox=0,0,10,10&samples=4', '/objects?bbox=0,0,20,20',
  '/objects.geojson?bbox=0,0,20,20', '/locate?biome=land&x=0&y=0', '/spawn?x=0&y=0', '/sight?from=0,0,1&to=9,0,1',
  '/explain?x=0&y=0',
];

for (const path of asked) {
  test(`cache headers and output forms of ${path}`, async () => {
    const plain = await load(`/worlds/plane${path}`);
    assert.equal(plain.status, 200);
    assert.equal(plain.headers.get('cache-control'), 'no-cache');
    assert.equal(plain.headers.get('access-control-allow-origin'), '*');
    const etag = plain.headers.get('etag');
    assert.match(etag, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
    const body = await plain.text();
    const again = await load(`/worlds/plane${path}`, { headers: { 'If-None-Match': etag } });
    assert.equal(again.status, 304);
    const { fingerprint } = await answer('');
    const pinned = await load(`/worlds/plane@${fingerprint}${path}`);
    assert.match(pinned.headers.get('cache-control'), /immutable/);
    assert.equal(await pinned.text(), body);
    assert.equal((await load(`/worlds/plane@g1-${'0'.repeat(32)}${path}`)).status, 410);
    assert.notEqual((await load(`/worlds/plane~8${path}`)).headers.get('etag'), etag);
    if (!path.includes('.svg')) {
      const pretty = await load(`/worlds/plane${path}&pretty=1`);
      assert.notEqual(pretty.headers.get('etag'), etag);
      const indented = await pretty.text();
      assert.ok(indented.split('\n').length > 3);
      assert.deepEqual(JSON.parse(indented), JSON.parse(body));
    }
    const head = await load(`/worlds/plane${path}`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('etag'), etag);
    assert.equal((await load(`/worlds/plane${path}`, { method: 'POST', body: '{}' })).status, 405);
  });
}

test('the descriptor lists the objects and has working addresses', async () => {
  const { objects, urls, limits } = await answer('');
  assert.deepEqual(objects, [
    { name: 'post', title: 'post', color: '#123456', radius: 1, density: '1', spacing: 10, min_distance: 0, max_slope: 90 },
    { name: 'none', title: 'none', color: objects[1].color, radius: objects[1].radius, density: '0', spacing: 5, min_distance: 0, max_slope: 90 },
  ]);
  assert.equal(limits.objects, 10000);
  const values = { x: 1, y: 2, x0: 0, y0: 0, x1: 30, y1: 40, h0: 2, h1: 3, height: 1 };
  for (const name of ['profile', 'stats', 'objects', 'locate', 'spawn', 'sight', 'explain']) {
    const response = await load(urls[name].replace(/\{(\w+)\}/g, (_, key) => values[key]));
    assert.equal(response.status, 200, urls[name]);
    assert.match(response.headers.get('cache-control'), /immutable/);
  }
});

/* Asked again in reverse order, without the cached answers, which are not indented. */
test('1000 km of terra are within the limits, with the defaults, and the same at any time', async () => {
  const paths = [[2e6, 1e6], [-6e6, 1e6]].flatMap(([x, y]) => {
    const bbox = `bbox=${x - 5e5},${y - 5e5},${x + 5e5},${y + 5e5}`;
    const searches = [3e5, 1e6].flatMap((radius) => ['locate?min_height=9000&', 'locate?min_height=1200&', 'locate?biome=beach&', 'spawn?']
      .map((query) => `/${query}x=${x}&y=${y}&radius=${radius}`));
    return [`/stats?${bbox}`, `/diff?b=terra~2&${bbox}`, ...searches];
  });
  const answers = new Map();
  for (const path of paths) {
    const found = await answer(path, 'terra');
    assert.equal(found.spacing, found.step);
    assert.equal(found.complete ?? true, true, path);
    answers.set(path, found);
  }
  for (const path of paths.reverse()) assert.deepEqual(await answer(`${path}&pretty=1`, 'terra'), answers.get(path), path);
});

test('a query above the limits is refused before any work', async () => {
  const made = async () => (await counts(server))('renders_total', { kind: 'question' });
  const before_ = await made();
  for (const [path, world] of [['/stats?bbox=0,0,9,9&samples=1024', 'dear'], ['/stats?bbox=0,0,9,9&samples=1024', 'terra'],
    ['/diff?b=dear&bbox=0,0,9,9&samples=1024', 'terra']]) {
    const response = await load(`/worlds/${world}${path}`);
    assert.equal(response.status, 413);
    assert.match((await response.json()).detail, /at most \d+/);
  }
  assert.equal(await made(), before_);
});

test('queries work at the edges of the world', async () => {
  const edge = 2 ** 40;
  assert.equal((await answer(`/profile?line=-${edge},0;${edge},0&samples=3`)).heights[1], 0);
  assert.equal((await answer(`/stats?bbox=-${edge},-${edge},${edge},${edge}&samples=2`)).land, 0.5);
  assert.equal((await answer(`/locate?biome=land&x=${edge}&y=-${edge}&radius=16777216`)).distance, 0);
  assert.equal((await answer(`/sight?from=${edge},0,1&to=-${edge},0,1`)).complete, false);
  assert.equal((await load(`/worlds/plane/objects?bbox=${edge - 20},0,${edge},20`)).status, 200);
});
