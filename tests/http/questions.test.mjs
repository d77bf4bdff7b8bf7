/* Questions about a world: each answer against arithmetic by hand, or against what POST /heights
 * says, done again here the slow way. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { temporaryFolder } from '../cli/terrane.mjs';

/* A plane that rises to the east, and a cone in the sea. */
const folder = temporaryFolder({
  'plane.json': {
    generator: 1, seed: 7,
    layers: {
      height: { formula: '0.5 * x', unit: 'm' },
      south: 'y',
      moving: 't + z',
      hills: 'fbm(wavelength=1024, octaves=8)',
      both: 'hills + perlin(wavelength=64)',
    },
    biomes: [
      { name: 'sea', color: '#00f', when: 'height < 0' },
      { name: 'beach', color: '#ff0', when: 'height < 5' },
      { name: 'land', color: '#0f0' },
    ],
    objects: { post: { spacing: 10, density: '1', color: '#123456', radius: 1 }, none: { spacing: 5, density: '0' } },
  },
  'cone.json': {
    generator: 1, seed: 1,
    layers: { height: { formula: '100 - distance(0, 0)', unit: 'm' } },
  },
  'lake.json': {
    generator: 1, seed: 1,
    layers: { height: '50', water_level: 'distance(0, 0) < 40 ? 60 : 0' },
  },
  'ridge.json': {
    generator: 1, seed: 1,
    layers: { height: { formula: 'max(0, 100 - abs(x - 500))', unit: 'm' } },
  },
  'dear.json': {
    generator: 1, seed: 1,
    layers: { height: Array.from({ length: 40 }, (_, i) => `fbm(wavelength=${65536 + i}, octaves=20)`).join(' + ') },
  },
});

let server;
before(async () => {
  server = await startServer({ arguments: ['--worlds', folder.path, '--world-cost', '1000'] });
});
after(async () => {
  assert.equal(await server.stop(), 0);
  folder.remove();
});

const load = (path, options) => fetch(server.url + path, options);
const answer = async (path, world = 'plane') => {
  const response = await load(`/worlds/${world}${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.ok(text.endsWith('}\n'));
  return JSON.parse(text);
};
const text = async (path, world = 'plane') => {
  const response = await load(`/worlds/${world}${path}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  return response.text();
};
const heights = async (points, layer = 'height', world = 'terra') => {
  const all = [];
  for (let i = 0; i < points.length; i += 10000) {
    const body = JSON.stringify({ points: points.slice(i, i + 10000), layer });
    const response = await load(`/worlds/${world}/heights`, { method: 'POST', body });
    all.push(...(await response.json()).heights);
  }
  return all;
};
const near = (value, expected, within) =>
  assert.ok(Math.abs(value - expected) <= within, `${value}, not ${expected}`);

test('a profile of a plane', async () => {
  const found = await answer('/profile?line=-100,0;300,0&samples=5');
  assert.match(found.fingerprint, /^g1-[0-9a-f]{32}$/);
  delete found.fingerprint;
  assert.deepEqual(found, {
    world: 'plane', seed: '7', length: 400, ascent: 200, descent: 0, minimum: -50, maximum: 150,
    distances: [0, 100, 200, 300, 400], heights: [-50, 0, 50, 100, 150],
  });
});

test('a profile over a cone and back, round a corner', async () => {
  const found = await answer('/profile?line=-30,-40;0,0;0,25&samples=4', 'cone');
  assert.equal(found.length, 75);
  assert.deepEqual(found.distances, [0, 25, 50, 75]);
  found.heights.forEach((height, i) => near(height, [50, 75, 100, 75][i], 1e-4));
  near(found.ascent, 50, 1e-4);
  near(found.descent, 25, 1e-4);
});

test('a profile of terra is what its places say', async () => {
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

test('a profile as text, with 256 samples if none are asked for', async () => {
  assert.equal(await text('/profile?line=0,0;10,0&samples=3&format=text'),
    'distance\theight\n0\t0\n5\t2.5\n10\t5\n');
  assert.equal((await answer('/profile?line=0,0;1,0')).heights.length, 256);
});

test('a profile drawn', async () => {
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

test('statistics of terra against /heights', async () => {
  const found = await answer('/stats?bbox=-300000,-200000,340000,200000&samples=64', 'terra');
  assert.deepEqual([found.columns, found.rows, found.step], [64, 40, 10000]);
  const points = [];
  for (let row = 0; row < 40; row++) {
    for (let column = 0; column < 64; column++) points.push([-295000 + 10000 * column, -195000 + 10000 * row]);
  }
  for (const layer of ['height', 'temperature']) {
    const direct = await heights(points, layer);
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
      const water = await heights(points, 'water_level');
      assert.equal(found.land, direct.filter((h, i) => h >= water[i]).length / points.length);
    }
  }
  const { biomes } = await answer('', 'terra');
  const indices = await heights(points, 'biome');
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

test('objects: one in each cell, in both forms', async () => {
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

test('objects of four quarters are those of the whole', async () => {
  const ids = async (bbox) => (await answer(`/objects?bbox=${bbox}`, 'terra')).objects.map(({ id }) => id);
  const whole = await ids('-200,-200,200,200');
  assert.ok(whole.length > 100);
  const parts = [];
  for (const bbox of ['-200,-200,13.5,-7', '13.5,-200,200,-7', '-200,-7,13.5,200', '13.5,-7,200,200']) {
    parts.push(...await ids(bbox));
  }
  assert.deepEqual(parts.sort(), whole.sort());
});

test('too many objects are 413 and the limit', async () => {
  const response = await load('/worlds/plane/objects?bbox=0,0,1010,1000&kind=post');
  assert.equal(response.status, 413);
  assert.match((await response.json()).detail, /10000/);
  assert.equal((await answer('/objects?bbox=0,0,1000,1000&kind=post')).count, 10000);
  assert.equal((await load('/worlds/plane/objects?bbox=0,0,1e6,1e6')).status, 413);
});

test('the nearest ground so high', async () => {
  const found = await answer('/locate?min_height=100&x=0&y=50&radius=256');
  delete found.world;
  delete found.seed;
  delete found.fingerprint;
  assert.deepEqual(found, {
    found: true, x: 200, y: 50, height: 100, distance: 200, bearing: 90, radius: 256, step: 1,
    samples: found.samples, complete: true,
  });
  const none = await answer('/locate?min_height=200&x=0&y=0&radius=256');
  assert.equal(none.found, false);
  assert.equal(none.complete, true);
  assert.equal(none.samples, 513 ** 2);
  assert.equal('x' in none, false);
});

test('the nearest biome', async () => {
  const found = await answer('/locate?biome=sea&x=40&y=0&radius=100');
  assert.deepEqual([found.found, found.x, found.y, found.bearing], [true, -1, 0, 270]);
  assert.equal(found.distance, 41);
  assert.equal(await text('/locate?biome=beach&x=100&y=0&radius=256&format=text'),
    'found\tyes\t\nx\t9\tm\ny\t0\tm\ndistance\t91\tm\nbearing\t270\tdegrees\nheight\t4.5\tm\nstep\t1\tm\ncomplete\tyes\t\n');
});

test('in terra nothing on the search\'s grid is nearer', async () => {
  for (const [query, layer, fits] of [
    ['min_height=230', 'height', (value) => value >= 230],
    ['biome=savanna', 'biome', null],
  ]) {
    const [x, y, radius] = [1000, -500, 25600];
    const { biomes } = await answer('', 'terra');
    const index = biomes.findIndex(({ name }) => name === 'savanna');
    const found = await answer(`/locate?${query}&x=${x}&y=${y}&radius=${radius}`, 'terra');
    assert.equal(found.step, 100);
    assert.equal(found.complete, true);
    const reach = found.found ? Math.ceil(found.distance / 100) : 60;
    if (reach > 120) continue;
    const points = [];
    for (let k = -reach; k <= reach; k++) {
      for (let i = -reach; i <= reach; i++) points.push([x + 100 * i, y + 100 * k]);
    }
    const values = await heights(points, layer);
    const fitting = points.filter((_, i) => (fits ? fits(values[i]) : values[i] === index));
    const nearest = Math.min(...fitting.map(([px, py]) => Math.hypot(px - x, py - y)));
    if (found.found) near(found.distance, nearest, 1e-6);
    else assert.equal(fitting.length, 0);
  }
});

test('a dear search says that it did not see everything', async () => {
  const found = await answer('/locate?min_height=100000&x=0&y=0&radius=1000000', 'dear');
  assert.equal(found.found, false);
  assert.equal(found.complete, false);
  assert.ok(found.samples > 0 && found.samples < 513 ** 2);
});

test('a place to begin is dry, low and gentle', async () => {
  /* The plane rises by half a metre a metre: 26.6°, too steep anywhere. */
  const steep = await answer('/spawn?x=0&y=0&radius=256');
  assert.equal(steep.found, false);
  /* Flat land, 0 m high, is not dry enough. */
  assert.equal((await answer('/spawn?x=0&y=0&radius=100', 'ridge')).found, false);
  /* Out of the lake; of the places 40 m away the northernmost. */
  const shore = await answer('/spawn?x=0&y=0&radius=256', 'lake');
  assert.deepEqual([shore.x, shore.y, shore.distance, shore.bearing], [0, -40, 40, 0]);
  assert.equal((await answer('/stats?bbox=-10,-10,10,10&samples=4', 'lake')).land, 0);
  const found = await answer('/spawn?x=0&y=0&radius=20000', 'terra');
  assert.equal(found.found, true);
  const at = await answer(`/at?x=${found.x}&y=${found.y}`, 'terra');
  assert.ok(at.height >= found.rules.min_height && at.height <= found.rules.max_height);
  assert.ok(at.slope <= found.rules.max_slope);
  assert.equal(at.water, null);
  assert.equal(at.height, found.height);
});

test('sight over a ridge', async () => {
  /* 100 m high at x = 500: a line 10 m up is below the ground from 411 on. */
  const blocked = await answer('/sight?from=0,0,10&to=1000,0,10', 'ridge');
  assert.equal(blocked.clear, false);
  assert.deepEqual(blocked.blocked, { x: 411, y: 0, distance: 411, ground: 11, line: 10 });
  assert.deepEqual(blocked.from, { x: 0, y: 0, ground: 0, height: 10 });
  assert.equal(blocked.complete, true);
  const over = await answer('/sight?from=0,0,300&to=1000,0,0', 'ridge');
  assert.equal(over.clear, true);
  assert.equal(over.blocked, null);
  assert.deepEqual([over.distance, over.step, over.complete], [1000, 1, true]);
  assert.equal((await answer('/sight?from=0,0,300&to=9000,0,0', 'ridge')).complete, false);
  assert.equal(await text('/sight?from=0,0,10&to=1000,0,10&format=text', 'ridge'),
    'clear\tno\t\ndistance\t1000\tm\nblocked\t411\tm\nx\t411\tm\ny\t0\tm\ncomplete\tyes\t\n');
});

test('sight in terra against its heights', async () => {
  for (const [x, y, up] of [[3000, 1000, 2], [-2500, 1700, 30], [400, -900, 2], [0, 4000, 120]]) {
    const found = await answer(`/sight?from=0,0,${up}&to=${x},${y},${up}`, 'terra');
    const parts = Math.ceil(Math.hypot(x, y));
    const points = Array.from({ length: parts + 1 }, (_, i) => [x * i / parts, y * i / parts]
      .map((metres) => Math.round(metres * 65536) / 65536));
    const ground = await heights(points);
    const [start, end] = [ground[0] + up, ground.at(-1) + up];
    const first = ground.findIndex((height, i) => i > 0 && i < parts && height > start + (end - start) * i / parts + 1e-3);
    assert.equal(found.clear, first < 0, `${x},${y}`);
    if (first > 0) near(found.blocked.distance, found.distance * first / parts, 1.01);
  }
});

test('a place explained', async () => {
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

test('two worlds compared', async () => {
  /* 0.5·x is ±25 and the cone 100 − 50·√2 = 29.3 at all four of (±50, ±50). */
  const found = await answer('/diff?b=cone&bbox=-100,-100,100,100&samples=2');
  assert.deepEqual([found.a.world, found.b.world], ['plane', 'cone']);
  assert.deepEqual([found.columns, found.rows, found.step], [2, 2, 100]);
  assert.equal(found.changed, 1);
  near(found.largest, 25 + 100 - 50 * Math.SQRT2, 1e-4);
  near(found.mean, 100 - 50 * Math.SQRT2, 1e-4);
  assert.deepEqual([found.x, found.y], [-50, -50]);
  assert.deepEqual([found.drowned, found.risen, found.biomes], [0, 0.5, null]);
  const self = await answer('/diff?a=plane&b=plane&bbox=0,0,10,10');
  assert.deepEqual([self.changed, self.mean, self.largest, self.biomes], [0, 0, 0, 0]);
});

test('terra with another seed, against its heights', async () => {
  const found = await answer('/diff?a=terra&b=terra~9&bbox=-40000,-40000,40000,40000&samples=8', 'terra');
  const points = [];
  for (let y = -35000; y < 40000; y += 10000) for (let x = -35000; x < 40000; x += 10000) points.push([x, y]);
  const [own, other] = [await heights(points), await heights(points, 'height', 'terra~9')];
  const distances = own.map((height, i) => Math.abs(other[i] - height));
  near(found.mean, distances.reduce((a, b) => a + b) / 64, 1e-3);
  near(found.largest, Math.max(...distances), 1e-3);
  assert.equal(found.changed, distances.filter((d) => d > 0).length / 64);
  assert.equal(found.drowned, own.filter((height, i) => height >= 0 && other[i] < 0).length / 64);
  assert.equal(found.b.seed, '9');
});

test('a comparison is for ever if both worlds are pinned', async () => {
  const pin = async (world) => `${world}@${(await answer('', world)).fingerprint}`;
  const [a, b] = [await pin('plane'), await pin('cone')];
  const cached = async (path) => (await load(path)).headers.get('cache-control');
  assert.match(await cached(`/diff?a=${a}&b=${b}&bbox=0,0,9,9`), /immutable/);
  assert.match(await cached(`/worlds/${a}/diff?b=${b}&bbox=0,0,9,9`), /immutable/);
  assert.equal(await cached(`/diff?a=plane&b=${b}&bbox=0,0,9,9`), 'no-cache');
  assert.equal(await cached(`/diff?a=${a}&b=cone&bbox=0,0,9,9`), 'no-cache');
  const etag = (await load('/diff?a=plane&b=cone&bbox=0,0,9,9')).headers.get('etag');
  const again = await load('/diff?a=plane&b=cone&bbox=0,0,9,9', { headers: { 'If-None-Match': etag } });
  assert.equal(again.status, 304);
  assert.equal((await load(`/diff?a=${a}&b=cone@g1-${'0'.repeat(32)}&bbox=0,0,9,9`)).status, 410);
  assert.match(await (await load('/diff?a=plane&b=cone&bbox=0,0,9,9&format=text')).text(), /^changed\t1\t\nmean\t/);
});

test('degrees are places too', async () => {
  const found = await answer('/explain?lon=90&lat=0');
  assert.deepEqual([found.x, found.y], [2 ** 23, 0]);
  assert.equal((await answer('/locate?biome=land&lon=45&lat=0&radius=10')).x, 2 ** 22);
});

/* Routes with their parameters. */
const asked = [
  '/profile?line=0,0;100,0', '/profile.svg?line=0,0;100,0', '/stats?bbox=0,0,10,10&samples=4', '/objects?bbox=0,0,20,20',
  '/objects.geojson?bbox=0,0,20,20', '/locate?biome=land&x=0&y=0', '/spawn?x=0&y=0', '/sight?from=0,0,1&to=9,0,1',
  '/explain?x=0&y=0',
];

for (const path of asked) {
  test(`caching and forms of ${path}`, async () => {
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

test('the descriptor has the objects and addresses that work', async () => {
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

/* path, status, parameter, a part of the detail */
const numbers = ['', 'a', '0x10', 'inf', 'nan', '1e', '1.', '.5', '+1', ' 1', '1%20', '1,5', '--1', '01'];
const bad = [
  ['/profile', 400, 'line', 'is missing'],
  ['/profile?line=0,0', 400, 'line', 'at least two places'],
  ['/profile?line=0,0;0,0', 400, 'line', 'not the same'],
  ['/profile?line=0,0;', 400, 'line', 'x,y'],
  ['/profile?line=;', 400, 'line', 'x,y'],
  ['/profile?line=0,0;1,2,3', 400, 'line', 'x,y'],
  ['/profile?line=0,0;1e13,0', 400, 'line', ''],
  [`/profile?line=${Array.from({ length: 65 }, (_, i) => `${i},0`).join(';')}`, 400, 'line', 'more than 64'],
  ['/profile?line=0,0;9,9&samples=1', 400, 'samples', 'from 2 to 4096, not "1"'],
  ['/profile?line=0,0;9,9&samples=4097', 400, 'samples', '4097'],
  ['/profile?line=0,0;9,9&samples=9.5', 400, 'samples', '9.5'],
  ['/profile?line=0,0;9,9&sample=9', 400, 'sample', 'did you mean "samples"'],
  ['/profile?line=0,0;9,9&format=svg', 400, 'format', 'json or text'],
  ['/profile?line=0,0;9,9&pretty=yes', 400, 'pretty', '1 or 0'],
  ['/profile?line=0,0;9,9&line=0,0;8,8', 400, 'line', 'more than once'],
  ['/profile.svg?line=0,0;9,9&format=text', 400, 'format', 'unknown parameter'],
  ['/profile.svg?line=x', 400, 'line', 'x,y'],
  ['/stats', 400, 'bbox', 'is missing'],
  ['/stats?bbox=0,0,1', 400, 'bbox', 'x0,y0,x1,y1'],
  ['/stats?bbox=0,0,1,1,1', 400, 'bbox', ''],
  ['/stats?bbox=1,0,0,1', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,1,1,0', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,0,0,1', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,0,2e12,1', 400, 'bbox', ''],
  ['/stats?bbox=0,0,1,1&samples=0', 400, 'samples', 'from 1 to 1024'],
  ['/stats?bbox=0,0,1,1&samples=1025', 400, 'samples', ''],
  ['/stats?bbox=0,0,1,1&kind=a', 400, 'kind', 'unknown parameter'],
  ['/objects', 400, 'bbox', 'is missing'],
  ['/objects?bbox=0,0,1', 400, 'bbox', ''],
  ['/objects?bbox=0,0,9,9&kind=posd', 404, 'kind', 'did you mean "post"'],
  ['/objects?bbox=0,0,9,9&kind=', 404, 'kind', 'unknown kind'],
  ['/objects.geojson?bbox=16777210,0,16777217,9', 400, 'bbox', '16777216'],
  ['/objects.geojson?bbox=0,-2e7,9,9', 400, 'bbox', '16777216'],
  ['/locate', 400, 'biome', 'neither'],
  ['/locate?biome=sea', 400, 'x', 'is missing'],
  ['/locate?biome=sea&x=0', 400, 'y', 'is missing'],
  ['/locate?biome=sea&lon=0', 400, 'lat', 'is missing'],
  ['/locate?biome=sea&x=0&y=0&lat=0', 400, 'lon', 'not both'],
  ['/locate?biome=sea&min_height=1&x=0&y=0', 400, 'min_height', 'not both'],
  ['/locate?biome=see&x=0&y=0', 404, 'biome', 'did you mean "sea"'],
  ['/locate?biome=&x=0&y=0', 404, 'biome', 'unknown biome'],
  ['/locate?min_height=2e6&x=0&y=0', 400, 'min_height', '1000000'],
  ['/locate?min_height=1&x=0&y=0&radius=0', 400, 'radius', 'from 1 to 16777216'],
  ['/locate?min_height=1&x=0&y=0&radius=16777217', 400, 'radius', ''],
  ['/locate?min_height=1&x=0&y=0&radius=-5', 400, 'radius', ''],
  ['/locate?min_height=1&lon=181&lat=0', 400, 'lon', '180'],
  ['/locate?min_height=1&lon=0&lat=90', 400, 'lat', '85.05'],
  ['/spawn', 400, 'x', 'is missing'],
  ['/spawn?x=0&y=0&radius=0.5', 400, 'radius', ''],
  ['/spawn?x=0&y=0&biome=sea', 400, 'biome', 'unknown parameter'],
  ['/sight', 400, 'from', 'is missing'],
  ['/sight?from=0,0,1', 400, 'to', 'is missing'],
  ['/sight?from=0,0&to=1,1,1', 400, 'from', 'x,y,height'],
  ['/sight?from=0,0,1&to=1,1,1,1', 400, 'to', 'x,y,height'],
  ['/sight?from=0,0,1e7&to=1,1,1', 400, 'from', '1000000'],
  ['/sight?from=0,0,h&to=1,1,1', 400, 'from', 'the height'],
  ['/diff', 400, 'b', 'is missing'],
  ['/diff?a=plane&bbox=0,0,9,9', 400, 'b', 'is missing'],
  ['/diff?b=cone', 400, 'bbox', 'is missing'],
  ['/diff?b=cone&bbox=9,0,0,9', 400, 'bbox', 'less than'],
  ['/diff?b=cone&bbox=0,0,9,9&samples=2000', 400, 'samples', 'from 1 to 1024'],
  ['/diff?b=coen&bbox=0,0,9,9', 404, 'b', 'did you mean "cone"'],
  ['/diff?a=plan&b=cone&bbox=0,0,9,9', 404, 'a', 'did you mean "plane"'],
  ['/explain', 400, 'x', 'is missing'],
  ['/explain?x=0&y=0&zoom=21', 400, 'zoom', 'from 0 to 20'],
  ['/explain?x=0&y=0&zoom=-1', 400, 'zoom', ''],
  ['/explain?x=0&y=0&t=x', 400, 't', ''],
  ['/explain?x=0&y=0&z=1e13', 400, 'z', ''],
  ...numbers.flatMap((number) => [
    [`/profile?line=0,0;${number},9`, 400, 'line', ''],
    [`/stats?bbox=0,0,9,${number}`, 400, 'bbox', ''],
    [`/objects?bbox=${number},0,9,9`, 400, 'bbox', ''],
    [`/spawn?x=${number}&y=0`, 400, 'x', ''],
    [`/locate?min_height=${number}&x=0&y=0`, 400, 'min_height', ''],
    [`/locate?biome=sea&x=0&y=0&radius=${number}`, 400, 'radius', ''],
    [`/sight?from=0,0,1&to=0,${number},1`, 400, 'to', ''],
    [`/sight?from=0,0,${number}&to=0,0,1`, 400, 'from', ''],
    [`/explain?x=0&y=${number}`, 400, 'y', ''],
    [`/explain?x=0&y=0&zoom=${number}`, 400, 'zoom', ''],
    [`/profile?line=0,0;9,9&samples=${number}`, 400, 'samples', ''],
  ]),
].filter(([path]) => !path.includes(' '));

test(`${bad.length} bad questions are refused, and the examples they are given work`, async () => {
  assert.ok(bad.length >= 200);
  const examples = new Set();
  for (const [path, status, parameter, part] of bad) {
    const response = await load(`/worlds/plane${path}`);
    const problem = await response.json();
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(problem.status, status);
    assert.equal(problem.parameter, parameter, path);
    assert.ok(problem.detail.includes(part), `${path}: ${problem.detail}`);
    assert.ok(problem.allowed || status === 404 || /more than once/.test(problem.detail), path);
    if (problem.example) examples.add(problem.example);
    else assert.match(problem.detail, /parameter|format|pretty|more than once|unknown world/, path);
  }
  assert.equal(examples.size, 8);
  for (const example of examples) assert.equal((await load(example)).status, 200, example);
});

test('what would take too much is refused before it is begun', async () => {
  for (const [path, world] of [['/stats?bbox=0,0,9,9&samples=1024', 'dear'], ['/stats?bbox=0,0,9,9&samples=1024', 'terra'],
    ['/diff?b=dear&bbox=0,0,9,9&samples=1024', 'terra']]) {
    const started = performance.now();
    const response = await load(`/worlds/${world}${path}`);
    assert.equal(response.status, 413);
    assert.match((await response.json()).detail, /at most \d+/);
    assert.ok(performance.now() - started < 5000);
  }
});

test('the edges of the world', async () => {
  const edge = 2 ** 40;
  assert.equal((await answer(`/profile?line=-${edge},0;${edge},0&samples=3`)).heights[1], 0);
  assert.equal((await answer(`/stats?bbox=-${edge},-${edge},${edge},${edge}&samples=2`)).land, 0.5);
  assert.equal((await answer(`/locate?biome=land&x=${edge}&y=-${edge}&radius=16777216`)).distance, 0);
  assert.equal((await answer(`/sight?from=${edge},0,1&to=-${edge},0,1`)).complete, false);
  assert.equal((await load(`/worlds/plane/objects?bbox=${edge - 20},0,${edge},20`)).status, 200);
});
