/* Searches and comparisons: what is nearest, seen or different, against arithmetic by hand, POST /heights and a digest
 * calculated here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, heights, load, near, text } from './queries.mjs';
import { digest as hash, floats } from './samples.mjs';

test('/locate finds the nearest ground of a height', async () => {
  const found = await answer('/locate?min_height=100&x=0&y=50&radius=256');
  delete found.world;
  delete found.seed;
  delete found.fingerprint;
  assert.deepEqual(found, {
    found: true, x: 200, y: 50, height: 100, distance: 200, bearing: 90,
    places: [{ x: 200, y: 50, height: 100, distance: 200, bearing: 90 }], radius: 256, step: 1, spacing: 1,
    samples: found.samples, complete: true,
  });
  const none = await answer('/locate?min_height=200&x=0&y=0&radius=256');
  assert.equal(none.found, false);
  assert.equal(none.complete, true);
  assert.equal(none.samples, 513 ** 2);
  assert.equal('x' in none, false);
  assert.deepEqual(none.places, []);
});

test('/locate finds the nearest biome', async () => {
  const found = await answer('/locate?biome=sea&x=40&y=0&radius=100');
  assert.deepEqual([found.found, found.x, found.y, found.bearing], [true, -1, 0, 270]);
  assert.equal(found.distance, 41);
  assert.equal(await text('/locate?biome=beach&x=100&y=0&radius=256&format=text'),
    'found\tyes\t\nx\t9\tm\ny\t0\tm\ndistance\t91\tm\nbearing\t270\tdegrees\nheight\t4.5\tm\nstep\t1\tm\ncomplete\tyes\t\n');
});

test('in terra no nearer place lies on the search grid at full detail', async () => {
  const { biomes } = await answer('', 'terra');
  for (const [query, x, y] of [['min_height=850', 4100, -6000], ['biome=rock', -29000, 32500], ['biome=river', 0, -1500]]) {
    const found = await answer(`/locate?${query}&x=${x}&y=${y}&radius=2560&detail=full`, 'terra');
    assert.equal(found.step, 10);
    assert.equal(found.spacing, 0);
    assert.equal(found.complete, true);
    const reach = found.found ? Math.ceil(found.distance / 10) : 60;
    assert.ok(reach <= 120, `${query}: ${found.distance} m`);
    const points = [];
    for (let k = -reach; k <= reach; k++) {
      for (let i = -reach; i <= reach; i++) points.push([x + 10 * i, y + 10 * k]);
    }
    const [name, value] = query.split('=');
    const values = await heights(points, name === 'biome' ? 'biome' : 'height');
    const fitting = points.filter((_, i) => (name === 'biome' ? biomes[values[i]].name === value : values[i] >= Number(value)));
    const nearest = Math.min(...fitting.map(([px, py]) => Math.hypot(px - x, py - y)));
    if (found.found) near(found.distance, nearest, 1e-6);
    else assert.equal(fitting.length, 0);
  }
});

/* The step of a radius of 256 · 2^k m is 2^k m, the level of detail of zoom 17 − k. */
test('in terra no nearer place of the search grid passes at its level of detail and at full detail', async () => {
  const { biomes } = await answer('', 'terra');
  let rejected = 0;
  for (const [query, k, x, y] of [['min_height=1000', 9, 0, 0], ['min_height=1500', 12, 0, 0], ['biome=river', 9, 0, 0],
    ['biome=rock', 10, 0, 0], ['biome=savanna', 8, -1906250, 3260000]]) {
    const step = 2 ** k;
    const found = await answer(`/locate?${query}&x=${x}&y=${y}&radius=${256 * step}`, 'terra');
    assert.deepEqual([found.found, found.complete, found.step, found.spacing], [true, true, step, step], query);
    const reach = Math.floor(found.distance / step) + 1;
    const points = [];
    for (let row = -reach; row <= reach; row++) {
      for (let column = -reach; column <= reach; column++) points.push([x + step * column, y + step * row]);
    }
    const [name, value] = query.split('=');
    const layer = name === 'biome' ? 'biome' : 'height';
    const passes = (sample) => (name === 'biome' ? biomes[sample].name === value : sample >= Number(value));
    const coarse = await heights(points, layer, 'terra', 17 - k);
    const far = ([px, py]) => Math.hypot(px - x, py - y);
    const seen = points.filter((place, i) => passes(coarse[i]) && far(place) <= found.distance + 1e-6);
    const full = [];
    /* A hundred places apart are as many as a request may cost. */
    for (let i = 0; i < seen.length; i += 100) full.push(...await heights(seen.slice(i, i + 100), layer));
    const nearest = (places) => Math.min(...places.map(far));
    near(found.distance, nearest(seen.filter((_, i) => passes(full[i]))), 1e-6);
    rejected += nearest(seen) < found.distance;
    const at = await answer(`/at?x=${found.x}&y=${found.y}`, 'terra');
    assert.ok(name === 'biome' ? at.biome === value : at.height >= Number(value), JSON.stringify(at));
    assert.equal(at.height, found.height);
  }
  assert.ok(rejected > 0, 'no case needs the check at full detail');
});

test('an expensive search reports that it is incomplete', async () => {
  const found = await answer('/locate?min_height=100000&x=0&y=0&radius=1000000', 'dear');
  assert.equal(found.found, false);
  assert.equal(found.complete, false);
  assert.ok(found.samples > 0 && found.samples < 513 ** 2);
});

test('/spawn finds a dry and gentle place', async () => {
  /* The plane rises by half a metre a metre: 26.6°, too steep anywhere. */
  const steep = await answer('/spawn?x=0&y=0&radius=256');
  assert.equal(steep.found, false);
  /* Flat land, 0 m high, is not dry enough. */
  assert.equal((await answer('/spawn?x=0&y=0&radius=100', 'ridge')).found, false);
  /* Out of the lake; of the places 40 m away the northernmost. */
  const shore = await answer('/spawn?x=0&y=0&radius=256', 'lake');
  assert.deepEqual([shore.x, shore.y, shore.distance, shore.bearing], [0, -40, 40, 0]);
  assert.equal((await answer('/stats?bbox=-10,-10,10,10&samples=4', 'lake')).land, 0);
  for (const [x, y, radius] of [[0, -20000, 50000], [27000, -36000, 4096], [-14000, -39000, 1e6], [476562, 85937, 3e5], [2e6, 1e6, 1e6]]) {
    const found = await answer(`/spawn?x=${x}&y=${y}&radius=${radius}`, 'terra');
    assert.equal(found.found, true);
    const at = await answer(`/at?x=${found.x}&y=${found.y}`, 'terra');
    assert.ok(at.height >= found.rules.min_height);
    assert.ok(at.slope <= found.rules.max_slope);
    assert.equal(at.water, null);
    assert.equal(at.height, found.height);
  }
});

/* The default world is 860 m high there: ground within sight is found, not the nearest lowland. */
test('/spawn finds ground at the origin of the default world, and on land of any height', async () => {
  const found = await answer('/spawn?x=0&y=0', 'terra');
  assert.deepEqual(found.rules, { min_height: 1, max_slope: 10 });
  assert.ok(found.found && found.distance < 4096);
  const at = await answer(`/at?x=${found.x}&y=${found.y}`, 'terra');
  assert.ok(at.height >= 1 && at.slope <= 10 && at.water === null, JSON.stringify(at));
  /* No dry place of the grid that is nearer has so little slope: all of them, one by one. */
  for (let x = -64; x <= 64; x += found.step)
    for (let y = -64; y <= 64; y += found.step)
      if (Math.hypot(x, y) < found.distance) {
        const { slope, water } = await answer(`/at?x=${x}&y=${y}`, 'terra');
        assert.ok(slope > 10 || water, `${x}, ${y}`);
      }
});

test('/sight is blocked by a ridge', async () => {
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
  assert.deepEqual([over.spacing, blocked.spacing], [0, 0]);
  /* 10¹² m in 8192 steps. */
  const longest = await answer('/sight?from=-900000000000,5,100000&to=100000000000,5,100000', 'terra');
  assert.deepEqual([longest.distance, longest.step, longest.spacing, longest.complete], [1e12, 1e12 / 8192, 1e12 / 8192, false]);
  assert.equal(await text('/sight?from=0,0,10&to=1000,0,10&format=text', 'ridge'),
    'clear\tno\t\ndistance\t1000\tm\nblocked\t411\tm\nx\t411\tm\ny\t0\tm\ncomplete\tyes\t\n');
});

test('/sight in terra agrees with its heights', async () => {
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

test('/diff compares two worlds', async () => {
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

/* At full detail, and at the grid's own, which is that of zoom 4. */
for (const [what, step, zoom, spacing, more] of [['at full detail', 10000, undefined, 0, '&detail=full'], ['at the detail of the grid', 8192, 4, 8192, '']])
test(`/diff of terra and a reseeded terra ${what} agrees with their heights`, async () => {
  const edge = 4 * step;
  const found = await answer(`/diff?a=terra&b=terra~9&bbox=${-edge},${-edge},${edge},${edge}&samples=8${more}`, 'terra');
  assert.deepEqual([found.step, found.spacing], [step, spacing]);
  const points = [];
  for (let y = -3.5; y < 4; y++) for (let x = -3.5; x < 4; x++) points.push([x * step, y * step]);
  const [own, other] = [await heights(points, 'height', 'terra', zoom), await heights(points, 'height', 'terra~9', zoom)];
  const distances = own.map((height, i) => Math.abs(other[i] - height));
  near(found.mean, distances.reduce((a, b) => a + b) / 64, 1e-3);
  near(found.largest, Math.max(...distances), 1e-3);
  assert.equal(found.changed, distances.filter((d) => d > 0).length / 64);
  assert.equal(found.drowned, own.filter((height, i) => height >= 0 && other[i] < 0).length / 64);
  assert.equal(found.b.seed, '9');
});

test('/diff sees a fine octave only on a grid as fine, or at full detail', async () => {
  const changed = async (more) => (await answer(`/diff?b=rough&bbox=0,0,${more}`)).changed;
  assert.equal(await changed('6400,6400&samples=64'), 0);
  assert.ok(await changed('6400,6400&samples=64&detail=full') > 0.9);
  assert.ok(await changed('64,64&samples=64') > 0.9, 'steps of a metre');
});

test('/diff is immutable if both worlds are pinned', async () => {
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

/* The digest of an array of floats. */
const digest = (samples) => hash(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));

const json = async (target) => {
  const answer = await load(target);
  assert.equal(answer.status, 200, target);
  return answer.json();
};

/* path of the world, chunk, other parameters */
const chunks = [
  ['', [0, 0], ''],
  ['', [-3, 7], 'size=16&step=0.25'],
  ['/worlds/terra~9', [5, -5], 'size=8&step=64&apron=2'],
  ['/worlds/terra', [1, 1], 'size=4&layers=biome,height,water_level'],
  ['/worlds/clock', [0, 0], 'size=2&layers=tide&t=12.5'],
  ['', [34359738367, -34359738368], 'size=32'],
];

test('/verify has the digest of /chunks, which an independent hash confirms', async () => {
  for (const [world, [cx, cy], order] of chunks) {
    const chunk = await load(`${world}/chunks/${cx}/${cy}.r32f?${order}`);
    const samples = floats(Buffer.from(await chunk.arrayBuffer()));
    const own = digest(samples);
    const target = `${world}/verify?chunk=${cx},${cy}&${order}&digest=${own}`.replace('&&', '&');
    const answer = await json(target);
    assert.equal(answer.same, true, target);
    assert.equal(answer.digest, own);
    assert.equal(answer.expected, own);
    assert.equal(chunk.headers.get('x-terrane-digest'), own);
    assert.equal(answer.fingerprint, chunk.headers.get('x-terrane-world'));
    assert.deepEqual(answer.chunk, [cx, cy]);
    assert.deepEqual(answer.layers.join(), chunk.headers.get('x-terrane-layers'));
    assert.equal(String(answer.step), chunk.headers.get('x-terrane-step'));

    /* One different bit in one sample gives another digest. */
    const bits = new Uint32Array(samples.slice().buffer);
    bits[bits.length - 1] ^= 1;
    const wrong = digest(new Float32Array(bits.buffer));
    const differs = await json(`${world}/verify?chunk=${cx},${cy}&${order}&digest=${wrong}`.replace('&&', '&'));
    assert.equal(differs.same, false);
    assert.equal(differs.digest, own);
    assert.equal(differs.expected, wrong);
  }
});

test('/verify without a digest compares nothing, and digests may be in upper case', async () => {
  const answer = await json('/verify?chunk=0,0');
  assert.equal(answer.same, null);
  assert.equal(answer.expected, null);
  assert.equal((await json(`/verify?chunk=0,0&digest=${answer.digest.toUpperCase()}`)).same, true);
  assert.deepEqual(await json('/verify?chunk=0,0&size=64&step=1&apron=0&layers=height&t=0&pretty=1'), answer, 'the defaults');
});

test('the text form of /verify is one word', async () => {
  const { digest: own } = await json('/verify?chunk=0,0');
  const text = async (more) => (await load(`/verify?chunk=0,0&format=text${more}`)).text();
  assert.equal(await text(''), `${own}\n`);
  assert.equal(await text(`&digest=${own}`), 'same\n');
  assert.equal(await text(`&digest=${'0'.repeat(32)}`), 'different\n');
});

test('comparisons and forms of /verify have different entity tags, and a pinned response is immutable', async () => {
  const targets = ['/verify?chunk=0,0', '/verify?chunk=0,1', '/verify?chunk=0,0&format=text', '/verify?chunk=0,0&pretty=1',
    `/verify?chunk=0,0&digest=${'0'.repeat(32)}`, '/verify?chunk=0,0&layers=biome', '/verify?chunk=0,0&t=1',
    '/worlds/terra~1/verify?chunk=0,0'];
  const tags = await Promise.all(targets.map(async (target) => (await load(target)).headers.get('etag')));
  assert.equal(new Set(tags).size, targets.length);
  const known = await load(targets[0], { headers: { 'if-none-match': tags[0] } });
  assert.equal(known.status, 304);
  assert.equal(known.headers.get('etag'), tags[0]);
  const { fingerprint } = await json('/verify?chunk=0,0');
  const pinned = await load(`/worlds/terra@${fingerprint}/verify?chunk=0,0`);
  assert.match(pinned.headers.get('cache-control'), /immutable/);
  assert.equal((await load('/verify?chunk=0,0')).headers.get('cache-control'), 'no-cache');
});

test('a world\'s descriptor has the addresses of /verify and of volumes', async () => {
  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const { urls } = await json('/worlds/caves');
  const values = { cx: -3, cy: 5, cz: 1, layer: 'density', format: 'r32f', digest: '0'.repeat(32) };
  const answer = await load(fill(urls.volume, values));
  assert.equal((await answer.arrayBuffer()).byteLength, 4 * 33 ** 3);
  const { urls: flat } = await json('/worlds/terra');
  assert.equal((await json(fill(flat.verify, values))).same, false);
});
