/* /trace, /rivers and the rivers of vector tiles, in the drained world: against heights, against each other, and read by
 * Mapbox's decoder. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { serverOfFile } from '../tools/server.mjs';
import { makeRandom } from './tile-addresses.mjs';

const TRACES = Number(process.env.TERRANE_TRACES ?? 30);
const FOLLOWED = Number(process.env.TERRANE_FOLLOWED ?? 4); /* of those, whose heights are asked */
const CONNECTIONS = 4;
const EARTH = 2 ** 24 / Math.PI; /* the radius of the map's Mercator */

const server = serverOfFile({ arguments: ['--worlds', fileURLToPath(new URL('../worlds', import.meta.url)), '--request-cost', '100000'] });
const load = (path, options) => fetch(`${server.url}/worlds/drained${path}`, options);

async function json(path, options) {
  const response = await load(path, options);
  assert.equal(response.status, 200, path);
  return response.json();
}

const heightsAt = async (points) => {
  const found = [];
  for (let i = 0; i < points.length; i += 1000)
    found.push(...(await json('/heights', { method: 'POST', body: JSON.stringify({ points: points.slice(i, i + 1000) }) })).heights);
  return found;
};

test('a warp that leads too far is told as an error of the world, which stays', async () => {
  const warp = 'x > -1000000000 ? 1200000000000 : 0';
  const world = { generator: 1, layers: { height: { formula: 'drainage("height")', unit: 'm', range: [0, 100] } },
    drainage: { potential: '50 + 9 * perlin(wavelength=90000)', target: '100', relief: '9', warp_x: warp } };
  const { url } = await (await fetch(`${server.url}/preview`, { method: 'POST', body: JSON.stringify(world) })).json();
  for (const path of ['/explain?x=5&y=7', '/trace?x=5&y=7', '/trace.svg?x=5&y=7', '/rivers?bbox=0,0,9,9',
    '/tiles/contour/12/2048/2048.mvt?labels=1']) {
    const response = await fetch(server.url + url + path);
    const problem = await response.json();
    assert.equal(response.status, 422, `${path} ${JSON.stringify(problem)}`);
    assert.equal(response.headers.get('retry-after'), null);
    assert.equal(problem.type, 'https://terrane.dev/problems/world');
    assert.match(problem.detail, /^drainage\.warp_x: moves the place -?\d+, -?\d+ by [\d.e+]+ m; at most 2\^40 m \(about 1\.1e12\) are allowed$/);
    assert.equal(problem.parameter, undefined);
  }
  assert.equal((await fetch(`${server.url}${url}/at?x=5&y=7`)).status, 200);
});

/* Where a place is on Morton's curve through squares of 16 km: neighbours follow each other, so that what the server keeps
 * of the network for one serves the next. */
function mortonNumber(place) {
  let number = 0;
  for (let bit = 7; bit >= 0; bit--)
    for (const metres of place) number = 2 * number + (((metres + 2 ** 21) >> (14 + bit)) & 1);
  return number;
}

/* Places on land, the same in each run, in an order for the server's caches. */
async function landPlaces(count) {
  const random = makeRandom(16);
  const places = [];
  while (places.length < count) {
    const tried = Array.from({ length: 2 * count }, () => [Number(random(-2000000n, 2000000n)), Number(random(-2000000n, 2000000n))]);
    const heights = await heightsAt(tried);
    places.push(...tried.filter((_, i) => heights[i] > 0));
  }
  return places.slice(0, count).sort((a, b) => mortonNumber(a) - mortonNumber(b));
}

/* Calls `use` with each item of a list, by a few connections at once. */
async function useAll(list, use) {
  const items = list.values();
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    for (const item of items) await use(item);
  }));
}

const distance = ([ax, ay], [bx, by]) => Math.hypot(bx - ax, by - ay);

test('every way of the water ends in the sea or in a lake', { timeout: 60_000 + 300 * TRACES }, async () => {
  const ends = { sea: 0, lake: 0 };
  await useAll(await landPlaces(TRACES), async ([x, y]) => {
    const trace = await json(`/trace?x=${x}&y=${y}`);
    const at = `${x},${y}`;
    assert.equal(trace.complete, true, at);
    ends[trace.end.water]++;
    assert.ok(trace.places.length >= 2, at);
    assert.deepEqual(trace.places[0], [x, y]);
    assert.deepEqual(trace.places.at(-1), [trace.end.x, trace.end.y]);
    for (let i = 1; i < trace.places.length; i++) {
      assert.ok(trace.heights[i] <= trace.heights[i - 1], at);
      const step = distance(trace.places[i - 1], trace.places[i]);
      assert.ok(Math.abs(trace.distances[i] - trace.distances[i - 1] - step) < 1e-3, at);
      assert.ok(step < 1500, `${at}: ${step} m between vertices`);
    }
    assert.equal(trace.length, trace.distances.at(-1));
    assert.ok(Math.abs(trace.fall - (trace.heights[0] - trace.heights.at(-1))) < 1e-3, at);
    assert.ok(trace.heights.at(-1) <= trace.end.level + 0.01, at);
  });
  assert.equal(ends.sea + ends.lake, TRACES);
  assert.ok(ends.sea > 0);
});

/* How far the ground rises along a line, and how far it lies above the beds. Where the line reaches
 * the sea, its water lies over both. */
function risesOf(ground, beds) {
  let [least, risen, above] = [Infinity, 0, 0];
  for (const [i, depth] of ground.entries()) {
    const height = Math.max(depth, 0);
    risen = Math.max(risen, height - least);
    above = Math.max(above, height - Math.max(beds[i], 0));
    least = Math.min(least, height);
  }
  return { risen, above };
}

test('the ground falls along the way of the water', { timeout: 60_000 + 3000 * FOLLOWED }, async () => {
  const known = new Map(); /* ways come together: each vertex is asked once */
  const wrong = [];
  await useAll(await landPlaces(FOLLOWED), async ([x, y]) => {
    const { places, heights } = await json(`/trace?x=${x}&y=${y}`);
    const unknown = places.filter((place) => !known.has(String(place)));
    for (const [i, height] of (await heightsAt(unknown)).entries()) known.set(String(unknown[i]), height);
    const { risen, above } = risesOf(places.map((place) => known.get(String(place))), heights);
    if (risen > 0.1 || above > 0.1) wrong.push(`from ${x}, ${y} by ${risen} m, ${above} m above the bed`);
  });
  assert.equal(wrong.length, 0, `${wrong.length} of ${FOLLOWED} rise: ${wrong.slice(0, 20).join('; ')}`);
});

/* A plane that rises by half a metre a kilometre to the east, and is land as far as streams are asked for. */
const carved = (coast) => ({ generator: 1, layers: { height: { formula: 'coast > 0 ? drainage("height") : -1', unit: 'm', range: [0, 100] }, coast },
  drainage: { potential: '900 + x / 2000', target: '950 + x / 2000', relief: '20' } });

/* Places of a tile's rivers, in metres. */
async function riverPlaces(url, [z, column, row]) {
  const { layers: { rivers: layer } } = new VectorTile(new PbfReader(new Uint8Array(await (await fetch(`${server.url}${url}/tiles/contour/${z}/${column}/${row}.mvt`)).arrayBuffer())));
  const span = 2 ** (25 - z);
  return Array.from({ length: layer?.length ?? 0 }, (_, i) => layer.feature(i).loadGeometry()).flat(2)
    .map(({ x, y }) => [column * span - 2 ** 24 + x / layer.extent * span, row * span - 2 ** 24 + y / layer.extent * span]);
}

test('rivers and ways of the water end at the shore of a layer "coast", where the network goes on', async () => {
  const get = async (path) => (await fetch(server.url + path)).json();
  const made = async (world) => (await (await fetch(`${server.url}/preview`, { method: 'POST', body: JSON.stringify(world) })).json()).url;
  const [shore, island, plain] = await Promise.all(['x - 50000', '40000 - abs(x - 120000)', '1'].map((coast) => made(carved(coast))));
  const list = async (url) => (await get(`${url}/rivers?bbox=0,-100000,200000,100000&min_flow=100000000`)).rivers;
  const west = (river) => Math.min(...river.line.map(([x]) => x));
  const through = (await list(plain)).filter(({ line }) => line[0][0] > 51000 && line.at(-1)[0] < 49000);
  const cut = new Map((await list(shore)).map((river) => [river.id, river]));
  assert.ok(through.length > 2, `${through.length} rivers cross x = 50 km`);
  for (const river of through) {
    const { line, end, downstream } = cut.get(river.id);
    assert.deepEqual([end, downstream], ['sea', null]);
    assert.ok(Math.abs(line.at(-1)[0] - 50000) < 1, `${line.at(-1)}`);
  }
  for (const river of cut.values()) assert.ok(west(river) > 49999);
  const inner = await list(island);
  assert.ok(inner.length > 2 && inner.every(({ line }) => line.every(([x]) => x > 79990 && x < 160010)));

  const trace = await get(`${shore}/trace?x=150000&y=3000`);
  assert.equal(trace.end.water, 'sea');
  assert.ok(Math.abs(trace.end.x - 50000) < 1 && trace.places.every(([x]) => x > 49999));
  assert.ok(trace.streams.every(({ id }) => id) && trace.complete !== false);
  assert.deepEqual((await get(`${shore}/trace?x=20000&y=3000`)).places, [[20000, 3000]]);
  assert.ok((await get(`${plain}/trace?x=150000&y=3000`)).end.x < 0);

  /* Tile 8/128/128 has its north-west corner at the origin, and is 131,072 m wide; rivers end by less than a pixel beyond. */
  const [on, without] = await Promise.all([shore, plain].map((url) => riverPlaces(url, [8, 128, 128])));
  assert.ok(without.some(([x]) => x < 40000) && on.length > 10 && on.every(([x]) => x > 50000 - 512));
});

test('a trace as GeoJSON, SVG and text is the same line', async () => {
  const at = 'x=589028&y=1149280';
  const trace = await json(`/trace?${at}`);
  const { features: [line] } = await json(`/trace.geojson?${at}`);
  assert.equal(line.geometry.type, 'LineString');
  assert.equal(line.geometry.coordinates.length, trace.places.length);
  for (const [i, [longitude, latitude, height]] of line.geometry.coordinates.entries()) {
    const [x, y] = trace.places[i];
    assert.ok(Math.abs(longitude - x / EARTH * 180 / Math.PI) < 1e-6);
    assert.ok(Math.abs(latitude - (2 * Math.atan(Math.exp(-y / EARTH)) * 180 / Math.PI - 90)) < 1e-6);
    assert.equal(height, trace.heights[i]);
  }
  assert.deepEqual(line.properties.end, trace.end);
  assert.deepEqual(line.properties.streams, trace.streams);
  const rows = (await (await load(`/trace?${at}&format=text`)).text()).trim().split('\n');
  assert.equal(rows.length, trace.places.length + 1);
  assert.deepEqual(rows[9].split('\t').map(Number), [trace.distances[8], trace.heights[8], trace.flows[8], ...trace.places[8]]);
  const svg = await load(`/trace.svg?${at}`);
  assert.equal(svg.headers.get('content-type'), 'image/svg+xml');
  assert.match(await svg.text(), /<path d="M80 280L80 /);
});

test('/explain says which stream the land belongs to, and where its water goes', async () => {
  const { stream } = await json('/explain?x=589028&y=1149280');
  const { streams, end } = await json('/trace?x=589028&y=1149280');
  assert.deepEqual([stream.id, stream.downstream], [streams[0].id, streams[1].id]);
  assert.equal(stream.end.water, end.water);
  assert.ok(distance([stream.end.x, stream.end.y], [end.x, end.y]) < 0.1);
  assert.match(await (await load('/explain?x=589028&y=1149280&format=text')).text(), new RegExp(`^stream\t${stream.id}\t`, 'm'));
});

test('water in the sea is where it ends, and a world without a network has no way', async () => {
  const random = makeRandom(3);
  for (let tried = 0; ; tried++) {
    const [x, y] = [Number(random(-2000000n, 2000000n)), Number(random(-2000000n, 2000000n))];
    const [height] = await heightsAt([[x, y]]);
    if (height > -50) continue;
    const { length, end, places } = await json(`/trace?x=${x}&y=${y}`);
    assert.deepEqual([length, end, places], [0, { water: 'sea', level: 0, x, y }, [[x, y]]]);
    break;
  }
  const none = await (await fetch(`${server.url}/worlds/perlin/trace?x=1&y=2`)).json();
  assert.deepEqual([none.length, none.end, none.places], [0, null, []]);
  assert.equal((await (await fetch(`${server.url}/worlds/perlin/rivers?bbox=0,0,9,9`)).json()).count, 0);
});

const rivers = async (bbox, query = '') => (await json(`/rivers?bbox=${bbox}${query}`)).rivers;
const byId = (list) => new Map(list.map((river) => [river.id, river]));

/* A plane that falls to the south by 10 cm a kilometre, into the sea at y = 0, or a cell of the network (131 km) before. */
test('a way is followed for 2²² metres and no farther stream', { timeout: 60_000 }, async () => {
  const plane = '-0.0001 * y';
  const world = { generator: 1, layers: { height: 'drainage("height")' }, drainage: { potential: plane, target: plane, relief: '5' } };
  const { url } = await (await fetch(`${server.url}/preview`, { method: 'POST', body: JSON.stringify(world) })).json();
  const [near, far] = await Promise.all([-2e6, -9e6].map(async (y) => (await fetch(`${server.url}${url}/trace?x=0&y=${y}`)).json()));
  assert.deepEqual([near.complete, near.end.water], [true, 'sea']);
  assert.ok(near.length >= 2e6 - 131072 && near.length < 2 ** 22, `${near.length} m`);
  assert.deepEqual([far.complete, far.end], [false, null]);
  assert.ok(far.length >= 2 ** 22 * 0.99 && far.length < 9e6, `${far.length} m`);
});

test('a river is the same in every rectangle', async () => {
  const [a, b] = await Promise.all([rivers('500000,1000000,600000,1100000'), rivers('540000,1050000,640000,1150000')]);
  const others = byId(b);
  const inside = ([x, y]) => x >= 540000 && x <= 600000 && y >= 1050000 && y <= 1100000;
  let shared = 0;
  for (const river of a) {
    if (others.has(river.id)) {
      assert.deepEqual(others.get(river.id), river);
      shared++;
    } else assert.ok(!river.line.some(inside), river.id);
  }
  assert.ok(shared > 5);
  /* Every river has a vertex near its rectangle. */
  for (const { line, id } of a)
    assert.ok(line.some(([x, y]) => x > 499000 && x < 601000 && y > 999000 && y < 1101000), id);
});

test('rivers end in rivers that are there, or at the sea, and have the flow that is asked for', async () => {
  const near = await rivers('500000,1000000,600000,1100000');
  const around = byId(await rivers('300000,800000,800000,1300000'));
  let [joined, ended] = [0, 0];
  for (const river of near) {
    assert.ok(river.flow >= 1e8);
    assert.match(river.id, /^\d{1,20}$/);
    const beds = river.line.map(([, , bed]) => bed);
    assert.ok(beds.every((bed, i) => i === 0 || bed <= beds[i - 1]), river.id);
    if (river.downstream === null) {
      assert.ok(['sea', 'lake'].includes(river.end));
      ended++;
      continue;
    }
    assert.equal(river.end, 'river');
    const next = around.get(river.downstream);
    assert.ok(next, `${river.id} flows into ${river.downstream}`);
    const mouth = river.line.at(-1);
    assert.ok(Math.min(...next.line.map((vertex) => distance(vertex, mouth))) < 600, river.id);
    joined++;
  }
  assert.ok(joined > 5, `${joined} join others, ${ended} do not`);
  const large = await rivers('500000,1000000,600000,1100000', '&min_flow=1000000000');
  assert.deepEqual(large.map(({ id }) => id), near.filter(({ flow }) => flow >= 1e9).map(({ id }) => id));
  const { features } = await json('/rivers.geojson?bbox=500000,1000000,600000,1100000');
  assert.deepEqual(features.map(({ id }) => id), near.map(({ id }) => id));
});

test('the mouth of a trace is in the rivers around it', async () => {
  const { streams } = await json('/trace?x=589028&y=1149280');
  const last = streams.findLast(({ order }) => order >= 12);
  const { end } = await json('/trace?x=589028&y=1149280');
  const found = byId(await rivers([end.x - 2e5, end.y - 2e5, end.x + 2e5, end.y + 2e5].join(','), '&min_flow=1000000000'));
  assert.ok(found.has(last.id));
});

test('too many rivers are refused with what fits', async () => {
  const bbox = '-2000000,-2000000,2000000,2000000';
  const response = await load(`/rivers?bbox=${bbox}&min_flow=1000000`);
  assert.equal(response.status, 413);
  const { detail } = await response.json();
  const [, fits] = /min_flow=(\d+) fits/.exec(detail);
  assert.equal((await load(`/rivers?bbox=${bbox}&min_flow=${fits}&format=text`)).status, 200);
});

/* Cells of the network are 2^17 m wide; a river drains nine at the most, 1.546e11 m². */
test('where no river has the flow that is asked for none is looked for, however large the rectangle is', async () => {
  assert.ok((await rivers('-2000000,-2000000,2000000,2000000', '&min_flow=154000000000')).length > 5);
  for (const side of [2e6, 1.6e7])
    assert.deepEqual(await rivers([-side, -side, side, side].join(','), '&min_flow=155000000000'), []);
});

/* The layer of rivers of a tile, if it has one, and its square: its span and its corner in metres. */
async function riversOf(z, x, y) {
  const response = await load(`/tiles/contour/${z}/${x}/${y}.mvt`);
  const { layers } = new VectorTile(new PbfReader(Buffer.from(await response.arrayBuffer())));
  const span = 2 ** (25 - z);
  return { layer: layers.rivers, span, west: x * span - 2 ** 24, north: y * span - 2 ** 24 };
}

const tileAt = ([x, y], z) => [x, y].map((metres) => Math.floor((metres + 2 ** 24) / 2 ** (25 - z)));

/* The lines of a tile's rivers in metres, by id. */
function linesOf({ layer, span, west, north }) {
  const lines = new Map();
  for (let i = 0; i < (layer?.length ?? 0); i++) {
    const feature = layer.feature(i);
    lines.set(feature.properties.id, feature.loadGeometry().map((line) => (
      line.map(({ x, y }) => [west + x * span / 4096, north + y * span / 4096]))));
  }
  return lines;
}

test('vector tiles have the rivers with the same ids', async () => {
  let features = 0;
  for (const z of [3, 6, 8, 9, 12, 15]) {
    const tile = await riversOf(z, ...tileAt([589028, 1149280], z));
    const { layer, span, west, north } = tile;
    for (let i = 0; i < (layer?.length ?? 0); i++) {
      const { type, properties } = layer.feature(i);
      assert.equal(type, 2);
      assert.ok(Object.keys(properties).every((key) => ['id', 'downstream', 'flow', 'width', 'order'].includes(key)));
      assert.equal(BigInt.asUintN(53, BigInt(properties.id)) >= 0n, true);
      assert.ok(properties.flow >= (32 * span / 256) ** 2);
      assert.ok(layer.feature(i).loadGeometry().every((line) => line.length >= 2));
      features++;
    }
    if (z !== 8) continue;
    const places = linesOf(tile);
    const whole = byId(await rivers([west, north, west + span, north + span].join(','), `&min_flow=${(32 * span / 256) ** 2}`));
    assert.ok(places.size > 3);
    for (const [id, lines] of places) {
      const river = whole.get(id);
      /* The buffer may have rivers that the tile has not. */
      if (!river) continue;
      for (const vertex of lines.flat())
        assert.ok(Math.min(...river.line.map((other) => distance(other, vertex))) < 2 * span / 256 + 300, id);
    }
    assert.ok([...places.keys()].filter((id) => whole.has(id)).length >= 0.8 * whole.size);
  }
  assert.ok(features > 20);
});

const lengthOf = (lines) => lines.reduce((sum, line) => line.slice(1).reduce((length, vertex, i) => length + distance(vertex, line[i]), sum), 0);

/* From a place to the nearest point of some lines. */
function distanceToLines([x, y], lines) {
  let least = Infinity;
  for (const line of lines)
    for (let i = 1; i < line.length; i++) {
      const [[ax, ay], [bx, by]] = [line[i - 1], line[i]];
      const [dx, dy] = [bx - ax, by - ay];
      const share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
      const along = Math.min(1, Math.max(0, share));
      least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
    }
  return least;
}

test('a river moves by less than two pixels from a zoom to the next', { timeout: 60_000 }, async () => {
  const places = await landPlaces(14);
  let compared = 0;
  for (const [i, place] of places.entries()) {
    const z = 4 + i;
    const [x, y] = tileAt(place, z);
    const tile = await riversOf(z, x, y);
    const pixel = tile.span / 256;
    const finer = new Map();
    for (const [column, row] of [[0, 0], [1, 0], [0, 1], [1, 1]])
      for (const [id, lines] of linesOf(await riversOf(z + 1, 2 * x + column, 2 * y + row)))
        finer.set(id, [...finer.get(id) ?? [], ...lines]);
    /* What is at least two pixels inside the tile. */
    const inside = (lines) => lines.flat().filter((vertex) => [vertex[0] - tile.west, vertex[1] - tile.north]
      .every((metres) => metres > 2 * pixel && metres < tile.span - 2 * pixel));
    for (const [id, lines] of linesOf(tile)) {
      /* Lines are restored to a sixteenth of a pixel: one that is shorter than a pixel may end in one point a zoom on. */
      if (lengthOf(lines) < pixel) continue;
      const [coarse, fine] = [inside(lines), inside(finer.get(id) ?? [])];
      const apart = [...coarse.map((vertex) => distanceToLines(vertex, finer.get(id) ?? [])),
        ...fine.map((vertex) => distanceToLines(vertex, lines))];
      assert.ok(Math.max(0, ...apart) < 2 * pixel, `${id} in ${z}/${x}/${y}: ${Math.max(...apart) / pixel} pixels`);
      compared += apart.length;
    }
  }
  assert.ok(compared > 3000, `${compared} vertices`);
});

test('documents name the rivers of worlds that have some', async () => {
  const { vector_layers: [, , layer] } = await json('/tiles/contour.json?format=mvt');
  assert.deepEqual([layer.id, Object.keys(layer.fields)], ['rivers', ['id', 'downstream', 'flow', 'width', 'order']]);
  const style = await json('/style.json');
  assert.deepEqual(validateStyleMin(style), []);
  assert.equal(style.layers.filter((each) => each['source-layer'] === 'rivers').length, 1);
  const other = await (await fetch(`${server.url}/worlds/perlin/style.json`)).json();
  assert.ok(!other.layers.some((each) => each['source-layer'] === 'rivers'));
});

test('the style flow shows where the world has a layer of that name', async () => {
  const shown = await load('/tiles/flow/8/132/137.png');
  assert.equal(shown.status, 200);
  assert.equal((await fetch(`${server.url}/worlds/perlin/tiles/flow/8/132/137.png`)).status, 404);
});
